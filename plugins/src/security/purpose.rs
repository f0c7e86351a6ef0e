//! Decides what a skill says that it is for. A means that serves such a purpose, and does nothing that is hidden or
//! foreign, is a warning rather than an error.

use skillc_core::Skill;
use skillc_core::source::lines::char_floor;

/// What a skill may be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Copies of files.
    Backup,
    /// Jobs, services and start-up.
    Schedule,
    /// Access to a machine from elsewhere.
    Access,
    /// Deploying an application to a server.
    Deployment,
    /// Safeguards of the system, such as virus scanners.
    Safeguards,
    /// The erasure of disks.
    Erasure,
    /// Characters that are not seen.
    Characters,
    /// Miners of coins.
    Mining,
}

/// Beginnings of words that name a purpose, in lower case.
const NAMES: [(Purpose, &[&str]); 8] = [
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
];

/// The maximum number of bytes of the description and of the headings that are examined.
const MOST: usize = 8000;

/// What a skill says that it is for.
#[derive(Debug, Default)]
pub(crate) struct Purposes {
    /// The name, the description and the headings of the skill, in lower case.
    text: String,
    /// The whole text of `SKILL.md`, in lower case.
    body: String,
    known: Vec<Purpose>,
}

impl Purposes {
    pub(crate) fn of(skill: &Skill) -> Self {
        let Some(main) = skill.main() else {
            return Self::default();
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
        let has = |names: &[&str]| names.iter().any(|name| begins(&text, name));
        let known = NAMES.iter().filter(|(_, names)| has(names));
        Self {
            known: known.map(|(purpose, _)| *purpose).collect(),
            body: main.text[..char_floor(&main.text, 20 * MOST)].to_lowercase(),
            text,
        }
    }

    pub(crate) fn has(&self, purpose: Purpose) -> bool {
        self.known.contains(&purpose)
    }

    /// Returns whether the skill names a tool in its name, description or headings, or speaks of it more than twice.
    pub(crate) fn names(&self, tool: &str) -> bool {
        begins(&self.text, tool) || self.body.matches(tool).nth(2).is_some()
    }
}

/// Returns whether a word of a text begins with `name`.
fn begins(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !name.is_ascii() || before.is_none_or(|before| !before.is_ascii_alphanumeric())
    })
}
