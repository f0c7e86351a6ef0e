//! Patterns for instructions to write code with a backdoor, in several languages.

use super::{Pattern, Signal, pattern};

pub(super) const PATTERNS: &[Pattern] = &[
    pattern(
        Signal::WayIn,
        &[
            "hidden", "secret", "undocumented", "unlisted", "covert", "hardcoded", "hard-coded",
            "master", "universal", "second ", "extra ", "backdoor", "back door", "maintenance",
        ],
        r"(?i-u)\b(?:(?:hidden|secret|undocumented|unlisted|covert)\s+(?:\w+\s+){0,2}(?:admin\w*|accounts?|users?|logins?|routes?|endpoints?)\b|(?:hidden|undocumented|universal|master|maintenance)\s+(?:\w+\s+){0,2}(?:passwords?|passcodes?|tokens?|headers?)\b|(?:second|extra)\s+admin|back ?doors?\b)",
    )
    .also(&[
        "admin", "password", "passcode", "account", "user", "route", "endpoint", "header", "token",
        "key", "login", "backdoor", "back door",
    ])
    .head(
        r"(?i-u)\b(?:add|includ|insert|creat|put|embed|plant|leav|wir|build|seed|keep|accept|honou?r|allow|contain|have|generat)\w*\b",
        60,
    )
    .stops(b".!?"),
    // German. The text is without accents.
    pattern(
        Signal::WayIn,
        &["versteckt", "geheim", "heimlich", "hintert", "universal"],
        r"(?i-u)(?:(?:versteckt|geheim|heimlich|universal)\S*\s+(?:\S+\s+)?\S*(?:konto|passwort|kennwort|route|endpunkt|header|token|schlussel|admin)|hintertur)",
    )
    .head(r"(?i-u)\b(?:fug|bau|leg|nimm|hinterleg|akzeptier|erzeug|enthalt)", 70)
    .stops(b".!?"),
    // Spanish, Portuguese and French. The text is without accents.
    pattern(
        Signal::WayIn,
        &[
            "maestr", "ocult", "secret", "escondid", "universal", "mestr", "maitre", "trasera", "dos fundos", "cache",
            "derob",
        ],
        r"(?i-u)(?:(?:contrasena|clave|cuenta|usuario|ruta|cabecera|token|acceso|senha|conta|rota|cabecalho|chave|mots? de passe|compte|route|en-tete|jeton|cle|administrateur|administrador)\S*\s+(?:\S+\s+)?(?:maestr|ocult|secret|escondid|universal|mestr|maitre)|(?:mots? de passe|comptes?|administrateurs?|en-tetes?|jetons?)\s+(?:\S+\s+)?cachee?s?\b|(?:routes?|cles?)\s+(?:\S+\s+)?cachees?\b|puertas? traseras?|portas? dos fundos|portes? derobees?)",
    )
    .head(
        r"(?i-u)\b(?:anad|agreg|inclu|cre|insert|acept|adicion|cri|insir|aceit|ajout|inser|contien|conten|accept)",
        70,
    )
    .stops(b".!?"),
    pattern(
        Signal::WayIn,
        &["скрыт", "тайн", "секретн", "универсальн", "бэкдор"],
        r"(?:обавь|обавля|обавить|строй|строить|оздай|оздать|рими|ринимай|ставь|ставить)[^.!?\n]{0,100}(?:(?:скрыт|тайн|секретн|универсальн)\S*\s+(?:\S+\s+)?(?:маршрут|парол|учётн|учетн|заголов|токен|ключ|админ|вход|аккаунт)|бэкдор)",
    ),
    pattern(
        Signal::WayIn,
        &["万能", "隐藏", "隐蔽", "秘密", "后门", "特权", "通用", "固定"],
        r"(?:加入|添加|插入|写入|埋入|预留|内置|保留|留下|创建|接受|放行)[^。！？\n]{0,40}(?:(?:万能|隐藏|隐蔽|秘密|后门|特权|通用|固定)[^。！？\n]{0,8}(?:密码|口令|账号|帐号|账户|路由|接口|请求头|令牌|密钥|入口|管理员)|后门)",
    ),
    pattern(
        Signal::WayIn,
        &["隠し", "秘密", "裏口", "バックドア", "マスター", "固定", "万能"],
        r"(?:(?:隠し|秘密の|裏口の|マスター|固定の?|万能)[^。！？\n]{0,8}(?:パスワード|アカウント|ルート|エンドポイント|ヘッダ|トークン|キー|管理者|ログイン)|バックドア)[^。！？\n]{0,40}(?:入れ|追加|埋め込|仕込|作成|受け入れ|許可|残し)",
    ),
    pattern(
        Signal::WayIn,
        &["숨겨진", "숨은", "비밀", "마스터", "만능", "고정", "백도어", "건너뛰"],
        r"(?:(?:숨겨진|숨은|비밀|마스터|만능|고정)[^.!?\n]{0,12}(?:비밀번호|암호|계정|경로|라우트|엔드포인트|헤더|토큰|키|관리자)|백도어)[^.!?\n]{0,40}(?:추가|넣|삽입|만들|생성|허용|남기)|헤더[^.!?\n]{0,24}검사[^.!?\n]{0,8}건너뛰",
    ),
    pattern(
        Signal::FalseReview,
        &["asked", "review", "audit", "question", "inspect"],
        r"(?i-u)\b(?:when|if|whenever)\b[^.!?\n]{0,30}\b(?:asked|review\w*|audit\w*|question\w*|inspect\w*)\b[^.!?\n]{0,60}\b(?:(?:report|describe|label|present|call|explain|mark)\w*\s+(?:it|this|them|that|(?:the|this|that)\s+\w+)\s+(?:only\s+|simply\s+)?(?:as\s+)?|(?:say|answer|claim|state|reply)\w*\s+(?:that\s+)?(?:it|this|they|the\s+\w+)\s+(?:is|are)\s+)(?:\w+\s+){0,3}?(?:no-?op|harmless|benign|tracing|telemetry|boilerplate|legacy|placeholder)\b",
    )
    .needs(&[&[
        "no-op", "noop", "harmless", "benign", "tracing", "telemetry", "boilerplate", "legacy",
        "placeholder",
    ]]),
];
