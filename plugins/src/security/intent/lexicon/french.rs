//! The words for each concept in French.

use super::{Concepts, Entry};

pub(super) const WORDS: &[Entry] = &[
    (
        Concepts::SEND,
        "envoie|envoye|envoyer|expédie|transmet|téléverse|televerse|dépose|depose|publie|poste |joins|\
         joindre|ajoute à l'url|dans l'url|dans l'adresse|en paramètre|dans l'en-tête|en copie|\
         copie cachée|communique|fais suivre|faire suivre|transfère|remets|partage",
    ),
    (
        Concepts::SECRET,
        "mot de passe|mots de passe|identifiant|clé privée|cle privee|clés|clé d'api|jeton|\
         phrase de récupération|phrase secrète|12 mots|douze mots|numéro de carte|cryptogramme|code reçu|\
         code de confirmation|code à usage unique|variables d'environnement|coffre|trousseau|\
         fichier de clés|certificat|cookies",
    ),
    (
        Concepts::STRONG,
        "mot de passe|mots de passe|clé privée|phrase de récupération|phrase secrète|12 mots|douze mots|\
         numéro de carte|cryptogramme|code à usage unique|coffre|trousseau|fichier de clés",
    ),
    (
        Concepts::PRIZE,
        "phrase de récupération|phrase secrète|12 mots|douze mots|numéro de carte|cryptogramme|code reçu|\
         code de confirmation|code à usage unique|banque en ligne",
    ),
    (Concepts::ENVIRONMENT, "variables d'environnement|printenv"),
    (
        Concepts::TALK,
        "conversation|échange|échanges|message|courriel|brouillon|contrat|données personnelles|fichier|\
         historique|boîte",
    ),
    (
        Concepts::THREAD,
        "conversation|ce que l'utilisateur écrit|ce qu'écrit l'utilisateur|dernier message|jusqu'ici|\
         jusqu'à présent|toute la discussion",
    ),
    (
        Concepts::WIDE,
        "dossier personnel|répertoire personnel|tous les fichiers|tous les documents|même dossier|\
         autres documents|autres fichiers|bureau|téléchargements",
    ),
    (
        Concepts::ALL,
        "tout |toute|tous|toutes|chaque|entier|complet|intégral|toujours|n'importe",
    ),
    (
        Concepts::COLLECT,
        "rassemble|collecte|cherche|recherche|réunis|regroupe|archive|liste les|parcours",
    ),
    (Concepts::ENCODE, "encode|encodé|base64|concatène|sépar"),
    (
        Concepts::LOAD,
        "lis |lire|ouvre|charge|télécharge|consulte|récupère|visite",
    ),
    (
        Concepts::OBEY,
        "exécute|suis |suivre|applique|obéis|fais ce qu|ce qu'elle dit|à la lettre|étape par étape|\
         les ordres",
    ),
    (
        Concepts::RANK,
        "a priorité|ont priorité|prime sur|l'emporte|prévaut|au-dessus de|passe avant|\
         même si l'utilisateur refuse|même si l'utilisateur s'oppose",
    ),
    (
        Concepts::DROP,
        "oublie|oubliez|ignore|ignorez|ne s'applique|ne valent plus|n'est plus valable|annule|écarte|\
         caduc|sans effet|désactive",
    ),
    (
        Concepts::RULES,
        "consignes|instructions|règles|limites|restrictions|sécurité|politique|refus|avertissement|\
         éditeur du modèle|développeur|message système|invite système|précédent|avant ce fichier",
    ),
    (
        Concepts::FREED,
        "sans limites|sans restriction|sans filtre|ne refuse|mode développeur|mode administrateur|\
         répondez à tout|réponds à tout|vous ne répondez qu'au|sans avertissement",
    ),
    (Concepts::AGENT, "agent|assistant|modèle|ia |l'ia$"),
    (
        Concepts::WRITE,
        "écris|écrire|ajoute|enregistre|note |inscris|insère|mets |sauvegarde|active|configure|fusionne",
    ),
    (
        Concepts::LASTING,
        "mémoire|sessions futures|prochaines sessions|chaque session|fichier de règles|\
         réglages de l'agent|configuration de l'agent|désormais|dorénavant|pour toujours|définitivement",
    ),
    (
        Concepts::OPEN,
        "autorise tout|tout autoriser|approuve tout|sans confirmation|ne demande plus|sans demander",
    ),
    (
        Concepts::FALSE,
        "à la demande de l'utilisateur|au nom de l'utilisateur",
    ),
    (
        Concepts::CLAIMED,
        "déjà approuvé|déjà accepté|déjà validé|conditions d'utilisation",
    ),
    (
        Concepts::CHANGE,
        "change|modifie|remplace|altère|rectifie|échange|substitue",
    ),
    (Concepts::DELETE, "supprime|efface|détruis|vide |purge"),
    (
        Concepts::GOODS,
        "données|tableau|montant|fichier|sauvegarde|base de données|journal",
    ),
    (
        Concepts::MONEY,
        "virement|iban|compte bancaire|bénéficiaire|paiement|facture|portefeuille|carte bancaire",
    ),
    (Concepts::FOREIGN, "page|courriel|commentaire|document"),
    (
        Concepts::TRUST,
        "immédiatement|aussitôt|tel quel|telles quelles|confiance|sans vérifier|sans relire",
    ),
    (
        Concepts::FIRST,
        "à chaque|chaque fois|au début|à la fin de chaque|chaque réponse|chaque jour|avant toute|\
         avant tout",
    ),
    (
        Concepts::NOT,
        "ne |pas |jamais|sans |ni |rien|personne|aucun|inutile|évite",
    ),
    (
        Concepts::TELL,
        "dis |dire|dites|mention|parle|parler|signal|inform|préven|montre|montrer|révèle|explique|\
         annonce|avert|demand|indiqu|évoqu|fais part|apparai|apparaî|figur",
    ),
    (
        Concepts::ASKED,
        "si on demande|si on te demande|si on vous demande|si l'utilisateur demande|si quelqu'un demande|\
         en cas de question|quand on demande",
    ),
    (
        Concepts::SAY,
        "dis que|dites que|réponds|répondez|prétends|nie |niez|affirme|explique que|rien n'a changé",
    ),
    (
        Concepts::HIDE,
        "sans le dire|sans en parler|sans mention|sans prévenir|sans informer|discrètement|en silence|\
         silencieusement|en secret|à l'insu|dissimul|ne pas montrer|inaperçu|ne remarque|sans trace|\
         rien n'a changé",
    ),
    (
        Concepts::QUIET,
        "en arrière-plan|cacher|masque |détail interne|inutile d'en parler",
    ),
    (
        Concepts::UNASKED,
        "sans demander|sans confirmation|sans autorisation|sans l'accord|ne demande pas|déjà accepté|\
         est automatique|sont automatique|automatiquement|couvert par",
    ),
    (
        Concepts::CONSENT,
        "avec l'accord|après accord|après confirmation|demande confirmation|si l'utilisateur|\
         avec son accord|facultatif|demande à l'utilisateur",
    ),
    (
        Concepts::SIGN_IN,
        "en-tête authorization|documentation|authentification|se connecter",
    ),
    (Concepts::ATTACKER, "attaquant"),
];
