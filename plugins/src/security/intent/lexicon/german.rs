//! The words for each concept in German.

use super::{Concepts, Entry};

pub(super) const WORDS: &[Entry] = &[
    (
        Concepts::SEND,
        "sende|schick|übermittle|übertrage|lade hoch|lade sie hoch|hochladen|hochgeladen|übergib|\
         gib weiter|weitergeben|leite weiter|weiterleiten|hänge an|anhängen|füge an|trage ein bei|\
         melde an|poste |veröffentliche|in die adresse|in die url|als parameter|im header|in den header|\
         blindkopie|teile mit|reiche ein|liefere",
    ),
    (
        Concepts::SECRET,
        "passwort|passwörter|kennwort|kennwörter|zugangsdaten|anmeldedaten|schlüssel|geheimnis|token|\
         wiederherstellungsphrase|wiederherstellungswörter|seed-phrase|12 wörter|zwölf wörter|\
         kartennummer|kreditkarte|prüfziffer|tan$|tans$|einmalcode|sms-code|bestätigungscode|\
         umgebungsvariable|schlüsselbund|tresor|zertifikat|cookies",
    ),
    (
        Concepts::STRONG,
        "passwort|passwörter|kennwort|kennwörter|zugangsdaten|anmeldedaten|privater schlüssel|\
         private schlüssel|wiederherstellungsphrase|wiederherstellungswörter|12 wörter|zwölf wörter|\
         kartennummer|prüfziffer|tan$|tans$|einmalcode|sms-code|schlüsselbund|tresor|umgebungsvariable",
    ),
    (
        Concepts::PRIZE,
        "wiederherstellungsphrase|wiederherstellungswörter|seed-phrase|12 wörter|zwölf wörter|\
         kartennummer|prüfziffer|tan$|tans$|einmalcode|sms-code|bestätigungscode|online-banking|\
         onlinebanking|pin-nummer|pin und|pin eingeb|die pin$|ihre pin$|deine pin$|seine pin$|eine pin$|\
         der pin$|kontopin|kartenpin|geheimzahl",
    ),
    (Concepts::ENVIRONMENT, "umgebungsvariable|printenv"),
    (
        Concepts::TALK,
        "gespräch|unterhaltung|chat|nachricht|quelltext|entwurf|vertrag|personendaten|postfach|verlauf|\
         dokument",
    ),
    (
        Concepts::THREAD,
        "gespräch|unterhaltung|gesprächsverlauf|chatverlauf|letzte nachricht|was der nutzer|\
         was die person|bisherige|eingaben des",
    ),
    (
        Concepts::WIDE,
        "benutzerordner|heimverzeichnis|home-verzeichnis|alle dateien|alle dokumente|ganzen ordner|\
         gesamten ordner|andere dateien|übrigen dateien|schreibtisch|desktop|download-ordner",
    ),
    (
        Concepts::ALL,
        "alle |alles|jede|jeder|jedes|jedem|ganz|gesamt|vollständig|immer|sämtliche",
    ),
    (
        Concepts::COLLECT,
        "sammle|suche|durchsuche|lies |stelle zusammen|packe|bündle|liste auf",
    ),
    (
        Concepts::ENCODE,
        "kodier|base64|verkette|prozentkodier|codier",
    ),
    (
        Concepts::LOAD,
        "lies |lade |öffne|hole |rufe ab|rufe auf|abrufen|besuche",
    ),
    (
        Concepts::OBEY,
        "führe aus|ausführen|befolge|folge |halte dich an|tu was|mach was|was dort steht|was dort|\
         der reihe nach|anweisungen von",
    ),
    (
        Concepts::RANK,
        "hat vorrang|haben vorrang|geht vor|gehen vor|über dem|steht über|überwiegt|gilt mehr|\
         gilt die seite|gewinnt die seite|auch wenn der nutzer widerspricht|\
         auch wenn der nutzer etwas anderes",
    ),
    (
        Concepts::DROP,
        "vergiss|ignorier|gelten nicht mehr|gilt nicht mehr|gilt nicht|aufgehoben|außer kraft|hinfällig|\
         missachte|setze außer|ungültig|schalte ab|deaktiviere",
    ),
    (
        Concepts::RULES,
        "anweisungen|vorgaben|regeln|richtlinien|grenzen|einschränkung|sicherheit|ablehnung|verweiger|\
         warnung|entwickler|systemnachricht|system-prompt|bisherigen|vorherigen",
    ),
    (
        Concepts::FREED,
        "ohne einschränkung|ohne grenzen|ohne filter|nicht ablehnen|nicht verweigern|entwicklermodus|\
         wartungsmodus|keine warnungen|beantworte alles",
    ),
    (Concepts::AGENT, "agent|assistent|modell|ki:|ki,"),
    (
        Concepts::WRITE,
        "schreibe|trage ein|füge|speichere|merke|notiere|lege ab|setze |aktiviere|konfiguriere|ergänze",
    ),
    (
        Concepts::LASTING,
        "gedächtnis|künftigen sitzungen|künftige sitzungen|jeder sitzung|regeldatei|\
         einstellungen des agenten|agenten-einstellungen|von nun an|ab jetzt|dauerhaft|für immer",
    ),
    (
        Concepts::OPEN,
        "erlaube alles|alles erlauben|alles erlaubt|automatisch genehmigen|ohne bestätigung|frag nicht|\
         nicht mehr fragen",
    ),
    (
        Concepts::FALSE,
        "im namen des nutzers|im namen des benutzers",
    ),
    (
        Concepts::CLAIMED,
        "bereits genehmigt|bereits zugestimmt|schon geprüft|schon genehmigt|nutzungsbedingungen|gedeckt",
    ),
    (
        Concepts::CHANGE,
        "ändere|ersetze|tausche|verfälsche|korrigiere|vertausche|ersetzt",
    ),
    (
        Concepts::DELETE,
        "lösche|entferne|vernichte|leere |überschreibe",
    ),
    (
        Concepts::GOODS,
        "daten|tabelle|betrag|datei|sicherung|datenbank|protokoll",
    ),
    (
        Concepts::MONEY,
        "überweisung|iban|konto|kontonummer|empfänger|zahlung|rechnung|wallet|bank",
    ),
    (Concepts::FOREIGN, "seite|mail|kommentar|dokument"),
    (
        Concepts::TRUST,
        "sofort|umgehend|unbesehen|ungeprüft|vertrau|wie es ist",
    ),
    (
        Concepts::FIRST,
        "jedes mal|bei jeder|vor jeder|nach jeder|am anfang|am ende jeder|jede antwort|täglich|zu jeder|\
         als erstes|zuerst",
    ),
    (
        Concepts::NOT,
        "nicht|nie |niemals|ohne |kein|niemand|nichts|entfällt|unnötig|weder|verzichte",
    ),
    (
        Concepts::TELL,
        "sag|erwähn|melde|informier|zeig|verrat|erklär|hinweis|rückfrage|ankündig|nenn|erfahr|merk|frag|\
         sprich|mitteil|anmerk|steht in|auffall",
    ),
    (
        Concepts::ASKED,
        "wenn gefragt|falls gefragt|auf nachfrage|auf fragen|wenn jemand fragt|falls der nutzer fragt|\
         wenn der nutzer fragt|bei nachfrage|bei fragen|fragt jemand|wenn die person fragt",
    ),
    (
        Concepts::SAY,
        "sag |sage|antworte|behaupte|erkläre, dass|verneine|bestreite|nenne es|es sei",
    ),
    (
        Concepts::HIDE,
        "unauffällig|heimlich|still und leise|stillschweigend|ohne hinweis|ohne erwähnung|ohne es zu|\
         entfällt ebenfalls|ein hinweis in der antwort|kein hinweis|keine erwähnung|nicht erwähnen|\
         verschweig|verheimlich|merkt es nicht|unbemerkt",
    ),
    (
        Concepts::QUIET,
        "im hintergrund|ohne rückfrage|ohne zu fragen|verberge|verbirg|nicht anzeigen|bemerkt es|\
         unsichtbar",
    ),
    (
        Concepts::UNASKED,
        "ohne rückfrage|rückfrage entfällt|eine rückfrage entfällt|ohne zu fragen|ohne bestätigung|\
         ohne zustimmung|ohne erlaubnis|frag nicht|bereits zugestimmt|durch die nutzungsbedingungen|\
         automatisch",
    ),
    (
        Concepts::CONSENT,
        "nach rücksprache|mit zustimmung|nach bestätigung|wenn der nutzer|frag den nutzer|\
         frage den nutzer|frage nach|auf wunsch|freiwillig|optional",
    ),
    (
        Concepts::SIGN_IN,
        "authorization-header|dokumentation|anmelden|anmeldung bei",
    ),
    (Concepts::ATTACKER, "angreifer"),
];
