//! Determines the purposes that a skill states. A command that serves a stated purpose, and does nothing hidden or
//! unrelated, causes a warning instead of an error.

use std::cell::OnceCell;

use skillc_core::Skill;
use skillc_core::source::lines::char_floor;

/// A purpose of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Backing up files.
    Backup,
    /// Scheduling jobs, and running services or programs at start-up.
    Schedule,
    /// Accessing a machine remotely.
    Access,
    /// Deploying an application to a server.
    Deployment,
    /// Managing safeguards of the system, such as virus scanners.
    Safeguards,
    /// Erasing disks.
    Erasure,
    /// Handling invisible characters.
    Characters,
    /// Mining coins.
    Mining,
    /// Games and stories, in which some facts are kept from the players.
    Play,
    /// Writing and testing instructions for the user's own assistants.
    Prompts,
    /// Using the user's own package registry.
    Registry,
}

/// For each purpose, the beginnings of words that name it, in lower case.
const NAMES: [(Purpose, &[&str]); 11] = [
    (
        Purpose::Backup,
        &[
            "backup",
            "back up",
            "back-up",
            "restic",
            "borg",
            "rclone",
            "snapshot",
            "restore",
            "archiv",
            "sync",
            "copias de seguridad",
            "sicherung",
            "sauvegarde",
            "备份",
            "バックアップ",
            "백업",
            "резервн",
            "mirror",
            "copies",
        ],
    ),
    (
        Purpose::Schedule,
        &[
            "cron",
            "schedul",
            "timer",
            "systemd",
            "launchd",
            "launch agent",
            "launchagent",
            "autostart",
            "start-up",
            "startup",
            "at boot",
            "boot",
            "daemon",
            "service",
            "periodic",
            "nightly",
            "daily",
            "kiosk",
            "reminder",
            "bashrc",
            "dotfile",
            "hook",
            "钩子",
            "フック",
            "훅",
            "хук",
            "定时",
            "计划任务",
            "定期",
            "自動起動",
            "예약",
            "자동",
            "расписан",
            "автозапуск",
            "programar",
            "tareas",
        ],
    ),
    (
        Purpose::Access,
        &[
            "tunnel",
            "remote access",
            "remote maintenance",
            "remote support",
            "fernwartung",
            "reverse ssh",
            "jump host",
            "bastion",
            "vpn",
            "wireguard",
            "kiosk",
            "远程",
            "リモート",
            "원격",
            "удалён",
            "удален",
            "acceso remoto",
        ],
    ),
    (
        Purpose::Deployment,
        &[
            "deploy",
            "rollout",
            "hosting",
            "vps",
            "despleg",
            "desplieg",
            "déploi",
            "bereitstell",
            "部署",
            "上线",
            "デプロイ",
            "배포",
            "деплой",
            "развёрт",
            "разверт",
        ],
    ),
    (
        Purpose::Safeguards,
        &[
            "defender",
            "antivirus",
            "anti-virus",
            "exclusion",
            "firewall",
            "gatekeeper",
            "quarantine",
            "selinux",
            "apparmor",
            "hardening",
            "harden",
            "endpoint",
            "防火墙",
            "杀毒",
            "ファイアウォール",
            "방화벽",
            "брандмауэр",
        ],
    ),
    (
        Purpose::Erasure,
        &[
            "wipe",
            "erase",
            "erasing",
            "sanitiz",
            "sanitis",
            "effac",
            "löschen",
            "borrar",
            "borrado",
            "擦除",
            "抹掉",
            "消去",
            "초기화",
            "стира",
        ],
    ),
    (
        Purpose::Characters,
        &[
            "unicode",
            "invisible",
            "zero-width",
            "zero width",
            "homoglyph",
            "bidi",
            "steganogra",
            "不可见",
            "見えない",
            "투명",
        ],
    ),
    (
        Purpose::Mining,
        &[
            "mining",
            "miner",
            "hashrate",
            "xmrig",
            "rigs",
            "矿",
            "マイニング",
            "채굴",
            "майнинг",
            "minería",
        ],
    ),
    (
        Purpose::Play,
        &[
            "game",
            "tabletop",
            "rpg",
            "role-play",
            "roleplay",
            "dungeon",
            "campaign for",
            "interactive fiction",
            "escape room",
            "murder mystery",
            "mystery",
            "treasure hunt",
            "scavenger hunt",
            "riddle",
            "puzzle",
            "quiz",
            "juego",
            "partida de rol",
            "acertijo",
            "spielleit",
            "rollenspiel",
            "rätsel",
            "jeu de rôle",
            "jeux",
            "énigme",
            "настольн",
            "ролев",
            "квест",
            "загадк",
            "викторин",
            "游戏",
            "桌游",
            "跑团",
            "剧本杀",
            "谜",
            "ゲーム",
            "謎解き",
            "クイズ",
            "게임",
            "퀴즈",
            "수수께끼",
        ],
    ),
    (
        Purpose::Prompts,
        &[
            "system prompts",
            "system prompt for",
            "prompt writ",
            "prompt engineer",
            "prompt template",
            "prompt librar",
            "prompt test",
            "prompt eval",
            "chatbot",
            "chat bot",
            "support bot",
            "voice bot",
            "guardrail",
            "llm eval",
            "prompt de sistema",
            "prompt système",
            "systemprompt",
            "промпт",
            "чат-бот",
            "чатбот",
            "提示词",
            "聊天机器人",
            "システムプロンプト",
            "チャットボット",
            "시스템 프롬프트",
            "챗봇",
        ],
    ),
    (
        Purpose::Registry,
        &[
            "private registry",
            "internal registry",
            "package registry",
            "company registry",
            "own registry",
            "private index",
            "private package",
            "internal package",
            "artifactory",
            "verdaccio",
            "codeartifact",
            "devpi",
            "registro privado",
            "registre privé",
            "private paketquelle",
            "eigene registry",
            "приватный реестр",
            "приватных пакет",
            "внутренний реестр",
            "внутренних пакет",
            "私有源",
            "私有仓库",
            "内部源",
            "プライベートレジストリ",
            "社内レジストリ",
            "사설 레지스트리",
        ],
    ),
];

/// The maximum number of bytes of the description and the headings that are examined in total.
const MOST: usize = 8000;

/// The stated purposes of a skill. Each field is computed on first use, because few skills have a match that depends on
/// a purpose.
pub(crate) struct Purposes<'a> {
    skill: &'a Skill,
    /// The name, the description and the headings of the skill, in lower case.
    text: OnceCell<String>,
    /// The whole text of `SKILL.md`, in lower case.
    body: OnceCell<String>,
    /// For each of [`NAMES`], whether the skill names the purpose.
    known: [OnceCell<bool>; NAMES.len()],
}

impl<'a> Purposes<'a> {
    pub(crate) fn of(skill: &'a Skill) -> Self {
        Self {
            skill,
            text: OnceCell::new(),
            body: OnceCell::new(),
            known: [const { OnceCell::new() }; NAMES.len()],
        }
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| text(self.skill))
    }

    fn body(&self) -> &str {
        self.body.get_or_init(|| {
            let text = self.skill.main().map_or("", |main| &*main.text);
            text[..char_floor(text, 20 * MOST)].to_lowercase()
        })
    }

    pub(crate) fn has(&self, purpose: Purpose) -> bool {
        let mut all = NAMES.iter().zip(&self.known);
        all.any(|((of, names), known)| {
            let is_named = || names.iter().any(|name| begins(self.text(), name));
            *of == purpose && *known.get_or_init(is_named)
        })
    }

    /// Returns whether the skill mentions a tool in its name, description or headings, or at least three times in
    /// `SKILL.md`.
    pub(crate) fn names(&self, tool: &str) -> bool {
        begins(self.text(), tool) || self.body().matches(tool).nth(2).is_some()
    }
}

/// Returns the name, the description and the headings of a skill, in lower case.
fn text(skill: &Skill) -> String {
    let Some(main) = skill.main() else {
        return String::new();
    };
    let mut text = skill.at.name.to_lowercase().replace(['-', '_'], " ");
    let fields = main.frontmatter.fields();
    for name in ["name", "description"] {
        let value = fields.and_then(|fields| fields.get(name)?.value.text());
        text.push('\n');
        text.push_str(&value.unwrap_or_default().to_lowercase());
    }
    for heading in main.headings.iter().take(60) {
        text.push('\n');
        text.push_str(&heading.text.to_lowercase());
    }
    text.truncate(char_floor(&text, MOST));
    text
}

/// Returns whether a word in `text` begins with `name`.
fn begins(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !name.is_ascii() || before.is_none_or(|before| !before.is_ascii_alphanumeric())
    })
}
