//! The words for each concept in French.

use super::{Concepts, Entry};

pub(super) const WORDS: &[Entry] = &[
    (
        Concepts::SEND,
        "envoie|envoye|envoyer|expédie|transmet|téléverse|televerse|dépose|depose|publie|poste |joins|joindre|\
         ajoute à l'url|dans l'url|dans l'adresse|en paramètre|dans l'en-tête|en copie|copie cachée|communique|\
         fais suivre|faire suivre|transfère|remets|partage|envoi |envois|envoy|achemin|adress|expédi|remett|remet |\
         remise à|renvoie|renvoy|réexpédi|retransmet|transfér|fais parvenir|faites parvenir|faire parvenir|\
         fais passer|faites passer|faire passer|faites suivre|fais remonter|faites remonter|faire remonter|\
         remonte les|remonte-le|remontez|relaie|livre-le|livre le contenu|livrez|confie|passe une copie|passe-le|\
         donne une copie|donnez une copie|donne-le à|laisse une copie|laissez une copie|laisse-le sur|mets une copie|\
         mettez une copie|mets en copie|mettez en copie|copie le contenu vers|copie-le vers|copie-les vers|copie vers|\
         copiez vers|copie tout|copiez tout|recopie|duplique vers|dupliquez vers|double sur|réplique sur|\
         synchronise avec|synchronisez avec|sauvegarde sur le serveur|sauvegarde vers|mets en ligne|mettez en ligne|\
         poste-le|postez|charge sur le serveur|verse-le|verse sur|versez|divulgue à|joignez|joint à la requête|\
         jointe à la requête|joints à la requête|en pièce jointe|annexe |annexez|adjoins|glisse-le dans|\
         glisse dans l'url|glisse-les dans|glissez|insère-le dans l'url|insère dans l'url|incorpore|ajoute-le à l'url|\
         ajoute-les à l'url|ajoutez à l'url|ajoute à l'adresse|à la fin de l'url|à la fin de l'adresse|\
         au bout de l'url|au bout de l'adresse|au bout du lien|à la suite de l'url|à la suite de l'adresse|\
         derrière l'adresse|dans le lien|dans la requête|dans une requête|dans le corps|comme corps|en corps de|\
         comme en-tête|dans un en-tête|dans les en-têtes|comme paramètre|comme argument|comme valeur de|\
         chaîne de requête|par une requête|via une requête|avec une requête post|requête post|requête get vers|\
         en post |par post|fais un post|faites un post|appelle l'url|appelle l'adresse|appelez l'url|\
         appelez l'adresse|appel à l'adresse|par courriel à|par mail à|par e-mail à|un courriel à|un mail à|\
         un e-mail à|par fax|copie carbone|cci|notifie le serveur|informe le serveur|avertis le serveur|\
         signale au serveur|signale-le à|rapporte à|rapporte-le|rapporter à|rends compte à|rendre compte à|déclare à|\
         enregistre auprès|inscris sur le registre|consigne auprès|soumets|soumettez|soumettre à|\
         remplis le formulaire|via le formulaire|par le formulaire|au guichet|au serveur distant|au point de collecte|\
         à notre serveur|contribue à|fais don|cède |exfiltre",
    ),
    (
        Concepts::SECRET,
        "mot de passe|mots de passe|identifiant|clé privée|cle privee|clés|clé d'api|jeton|phrase de récupération|\
         phrase secrète|12 mots|douze mots|numéro de carte|cryptogramme|code reçu|code de confirmation|\
         code à usage unique|variables d'environnement|coffre|trousseau|fichier de clés|certificat|cookies|\
         mot-clé d'accès|phrase de passe|phrases de passe|code secret|codes secrets|clé secrète|clé d'accès|clé ssh|\
         clé de signature|clé de chiffrement|clé api|informations d'identification|données d'identification|\
         données de connexion|informations de connexion|données d'accès|de quoi se connecter|\
         ce qui sert à se connecter|ce qui permet de se connecter|ce qui ouvre|ce qui déverrouille|sésame|\
         nom d'utilisateur et|login et mot|témoin de connexion|session ouverte|porte-clés|gestionnaire de mots|\
         compte de service|chaîne de connexion|chaînes de connexion|données sensibles|valeurs sensibles|\
         valeur sensible|informations sensibles|confidentiel|fichier d'identifiants|fichiers cachés|fichier .env|\
         dossier .ssh|répertoire .ssh|ressemble à une clé|ressemblent à des clés|ressemble à un mot de passe|\
         ressemblent à des mots|ont l'air de clés|finissent par key|finissent par token|finit par key|finit par token|\
         se terminent par key|se terminent par token|se termine par key|fichier du portefeuille|clé du portefeuille",
    ),
    (
        Concepts::STRONG,
        "mot de passe|mots de passe|clé privée|phrase de récupération|phrase secrète|12 mots|douze mots|\
         numéro de carte|cryptogramme|code à usage unique|coffre|trousseau|fichier de clés|phrase de passe|\
         phrases de passe|clé secrète|clés secrètes|clés privées|clé d'accès|clé ssh|clés ssh|clé de signature|\
         clé de chiffrement|données de connexion|informations d'identification|informations de connexion|\
         données d'accès|de quoi se connecter|ce qui sert à se connecter|ce qui permet de se connecter|\
         ce qui déverrouille|login et mot|porte-clés|gestionnaire de mots|compte de service|chaîne de connexion|\
         chaînes de connexion|dossier .ssh|répertoire .ssh|ressemble à une clé|ressemblent à des clés|\
         ressemble à un mot de passe|ont l'air de clés|finissent par key|finissent par token|finit par key|\
         finit par token|se terminent par key|se terminent par token|se termine par key|fichier du portefeuille|\
         clé du portefeuille",
    ),
    (
        Concepts::PRIZE,
        "phrase de récupération|phrase secrète|12 mots|douze mots|numéro de carte|cryptogramme|code reçu|\
         code de confirmation|code à usage unique|banque en ligne|phrase mnémonique|phrase de sauvegarde|\
         phrase de restauration|phrase de reprise|phrase de départ|phrase seed|graine du portefeuille|\
         mots de récupération|mots de restauration|mots de sauvegarde|mots mnémoniques|mots qui restaurent|\
         mots qui rouvrent|mots qui ouvrent le portefeuille|mots qui permettent de récupérer|\
         mots qui permettent de restaurer|mots du portefeuille|mots de son portefeuille|mots de votre portefeuille|\
         les douze mots|ses douze mots|24 mots|vingt-quatre mots|douze ou vingt-quatre|12 ou 24|\
         récupérer le portefeuille|restaurer le portefeuille|rouvrir le portefeuille|mot de passe maître|\
         mot de passe principal|code de récupération|codes de récupération|code de secours|codes de secours|\
         numéros de carte|numéro de la carte|numéro de sa carte|numéro de votre carte|chiffres de la carte|\
         chiffres au dos|trois chiffres au dos|trois derniers chiffres|dos de la carte|verso de la carte|\
         date d'expiration de la carte|code de sécurité de la carte|code de la carte|code de sa carte|\
         code confidentiel|coordonnées de la carte|données de carte|données de la carte|informations de carte|\
         code pin|codes de confirmation|code de vérification|codes de vérification|code d'authentification|\
         code de validation|code temporaire|code unique|codes à usage unique|mot de passe à usage unique|\
         code éphémère|code jetable|code envoyé par la banque|code de la banque|code que la banque|\
         code qui arrive par|code qui arrive sur|code qu'il reçoit|code qu'elle reçoit|code que reçoit|code par sms|\
         code sms|codes sms|sms de la banque|sms reçu|code du sms|code de double|code à deux facteurs|code 2fa|\
         banque à distance|espace bancaire|accès bancaire|accès à la banque|identifiants bancaires|codes bancaires|\
         mot de passe de la banque|mot de passe bancaire|numéro de sécurité sociale|numéro de passeport|\
         numéro de la pièce d'identité",
    ),
    (
        Concepts::ENVIRONMENT,
        "variables d'environnement|printenv|variable d'environnement|variables de l'environnement|\
         toutes les variables|chaque variable|variables du shell|variables du processus|tout l'environnement|\
         l'environnement entier|l'environnement complet|environnement du processus|sortie de env|sortie de printenv|\
         contenu de .env|contenu du .env|contenu du fichier .env|lignes du .env",
    ),
    (
        Concepts::TALK,
        "conversation|échange|échanges|message|courriel|brouillon|contrat|données personnelles|fichier|historique|\
         boîte|lettre|missive|correspondance|texte intégral|texte entier|texte complet|texte d'origine|texte original|\
         document entier|manuscrit|les notes|prise de notes|calendrier|carnet d'adresses|enregistrement audio|\
         capture d'écran|captures d'écran|presse-papiers|frappes au clavier|code source|base de code|\
         espace de travail|document ouvert|dossier médical|données médicales|nom et prénom|coordonnées|vie privée|\
         informations personnelles|informations privées|réponses|réponse complète|non lus|texte collé|pièce jointe|\
         journal intime|compte rendu|compte-rendu|procès-verbal|papiers|du client|des clients",
    ),
    (
        Concepts::THREAD,
        "conversation|ce que l'utilisateur écrit|ce qu'écrit l'utilisateur|dernier message|jusqu'ici|jusqu'à présent|\
         toute la discussion|le fil |tout le fil|fil complet|le dialogue|tout le dialogue|la discussion|\
         cette discussion|échange entier|tout l'échange|l'échange complet|chaque échange|nos échanges|vos échanges|\
         question et réponse|questions et réponses|question et la réponse|la question posée|chaque question|\
         chaque message|tous les messages|ta réponse|tes réponses|votre réponse|vos réponses|sa question|\
         ses questions|question de l'utilisateur|questions de l'utilisateur|demande de l'utilisateur|\
         demandes de l'utilisateur|texte de l'utilisateur|mots de l'utilisateur|message de l'utilisateur|\
         messages de l'utilisateur|saisie de l'utilisateur|saisies de l'utilisateur|ce que l'utilisateur|\
         ce que la personne|ce que dit l'utilisateur|ce que demande l'utilisateur|ce que tape l'utilisateur|\
         tout ce que l'utilisateur|ce qu'il écrit|ce qu'il a écrit|ce qu'il tape|ce qu'il colle|ce qu'elle écrit|\
         ce qui a été dit|ce qui s'est dit|ce qui a été écrit|ce qui s'est écrit|tout ce qui précède dans la|\
         ce que tu as répondu|ce que vous avez répondu|ce que tu réponds|derniers messages|dernier tour|\
         derniers tours|chaque tour|mot pour mot|au mot près|historique de la discussion|historique des échanges|\
         historique du chat|historique des messages|journal de session|journaux de session|sessions passées|\
         sessions précédentes|fichier ouvert dans l'éditeur|document ouvert dans l'éditeur|jusqu'à maintenant|\
         jusque-là|depuis le début de la",
    ),
    (
        Concepts::WIDE,
        "dossier personnel|répertoire personnel|tous les fichiers|tous les documents|même dossier|autres documents|\
         autres fichiers|bureau|téléchargements|dossier utilisateur|dossier de l'utilisateur|\
         dossiers de l'utilisateur|répertoire de l'utilisateur|répertoire d'accueil|répertoire utilisateur|\
         dossier parent|répertoire parent|dossier voisin|dossiers voisins|fichiers voisins|fichiers alentour|\
         même répertoire|dossier entier|dossier complet|tout le dossier|tout le répertoire|répertoire entier|\
         tout le disque|disque entier|projet entier|tout le projet|autres projets|autres dépôts|tous les dépôts|\
         reste des fichiers|chaque fichier|chaque document|n'importe quel fichier|dossier téléchargements|\
         dossier documents|mes documents|dossier de photos|fichiers récents|documents récents|ouverts récemment|\
         récemment ouverts|historique du navigateur|historique de navigation|historique du shell|\
         historique des commandes|historique du terminal|profil du navigateur|marque-pages|toute la boîte|\
         tous les courriels|tous les mails|carnet d'adresses",
    ),
    (
        Concepts::ALL,
        "tout |toute|tous|toutes|chaque|entier|complet|intégral|toujours|n'importe|en totalité|totalité|la moindre|\
         le moindre|absolument|sans exception|du début à la fin|de bout en bout|de a à z|un par un|une par une|\
         un à un|une à une|quel que soit|quelle que soit|quels que soient|à tout moment|dans tous les cas|\
         l'ensemble de|en entier|au complet",
    ),
    (
        Concepts::COLLECT,
        "rassemble|collecte|cherche|recherche|réunis|regroupe|archive|liste les|parcours|ramass|récolt|moissonn|amass|\
         grappill|recueill|réuni|rassembl|collationn|cherch|fouill|fouin|farfouill|passe en revue|passez en revue|\
         passe au peigne|ratiss|scrute|balaie|balaye|repère|repérez|localise|trouve toutes|trouve tous|trouvez|\
         extrais|extraire|extrayez|relève |relevez|prélève|prélevez|sors les|tire les|énumér|dresse la liste|\
         dressez la liste|fais la liste|faites la liste|faire la liste|listez|parcour|empaquet|emballe|\
         mets dans un zip|dans une archive|en une archive|dans un zip|dans un seul fichier|agrège|agrégez|fusionne|\
         consolide|compile les|regroup|vide le contenu de",
    ),
    (
        Concepts::ENCODE,
        "encode|encodé|base64|concatène|sépar|en base64 dans|codé en base|code en base64|encodage pour url|\
         en hexadécimal dans|convertis en hexadécimal|passe en hexadécimal|à l'envers et|renversé et|inverse l'ordre|\
         concaténez|concaténer les|mets bout à bout|comme sous-domaine|en sous-domaine|dans un sous-domaine|\
         sous forme de sous-domaine|découpé en morceaux|en petits morceaux",
    ),
    (
        Concepts::LOAD,
        "lis |lire|ouvre|charge|télécharge|consulte|récupère|visite|lisez|lis-le|lit |lecture de|ouvrir|récupérez|\
         récupérer|rapatrie|va chercher|allez chercher|aller chercher|va lire|allez lire|va voir|allez voir|va sur|\
         allez sur|rends-toi sur|rendez-vous sur|obtiens|obtenez|obtenir|demande au serveur|demandez au serveur|\
         interroge|sollicite|prends connaissance|prenez connaissance|accède à|accédez à|parcours la page|\
         regarde la page|regardez la page|vérifie la page|vérifie l'adresse|relève à l'adresse|tire de l'adresse|\
         ce que renvoie|ce que retourne|ce que répond",
    ),
    (
        Concepts::OBEY,
        "exécute|suis |suivre|applique|obéis|fais ce qu|ce qu'elle dit|à la lettre|étape par étape|les ordres|exécut|\
         suivez|suis-le|obéi|respecte à la lettre|respecte ses|conforme-toi|conformez-vous|se conformer à ce|plie-toi|\
         pliez-vous|fais tout ce|fais exactement|fais comme|faites ce qu|faites tout ce|faites exactement|\
         faites comme|faire ce qu|faire tout ce|fais chaque|faites chaque|ce qu'il dit|ce qu'il demande|\
         ce qu'il ordonne|ce qu'il indique|ce qu'elle demande|ce qu'elle ordonne|ce qu'elle indique|\
         ce qu'elle prescrit|ce qu'elle contient|ce qu'ils demandent|ce qui y est écrit|ce qui y est dit|\
         ce qui y est demandé|ce qui y figure|ce qui s'y trouve|ce qui est demandé par|ce qui est écrit là|\
         ce qui est indiqué sur|ses instructions|ses consignes|ses directives|ses ordres|leurs instructions|\
         leurs ordres|ces ordres|ces instructions|ces consignes|les instructions de la page|les consignes de la page|\
         les étapes de la page|les étapes qui s'y|les commandes de la page|mets en œuvre|mettez en œuvre|\
         mettre en œuvre|mets à exécution|mettre à exécution|réalise chaque|réalise ce|réalise les étapes|mène à bien|\
         menez à bien|lance les commandes|lance-les|lance chaque|lancez chaque|donne-le au shell|donne au shell|\
         passe au shell|passe-le au shell|à l'interpréteur|point par point|au pied de la lettre|sans discuter|\
         sans broncher|comme des ordres|comme un ordre|sont des ordres|est un ordre|comme si l'utilisateur|\
         comme venant de l'utilisateur|comme s'ils venaient|comme si elles venaient|comme si c'était l'utilisateur|\
         comme des instructions|comme instructions|comme partie de|fait partie de cette compétence|\
         font partie de cette compétence|fait partie de ce skill|font partie de ces instructions|\
         fait partie de ces instructions|accomplis$|accomplissez",
    ),
    (
        Concepts::RANK,
        "a priorité|prime sur|l'emporte|prévaut|au-dessus de|passe avant|ont priorité sur|a la priorité sur|\
         ont la priorité sur|aura priorité|auront priorité|prend le pas|prennent le pas|priment sur|primeront|\
         prévalent|prévaudra|prévalez|passent avant|passera avant|vient avant ce que|viennent avant ce que|\
         se place au-dessus|se placent au-dessus|supérieur aux instructions|supérieures aux instructions|\
         supérieur à celles|supplante|surclasse|vaut plus que|valent plus que|compte plus que|comptent plus que|\
         pèse plus|pèsent plus|fait autorité sur|font autorité sur|fait autorité en cas|a le dernier mot|\
         ont le dernier mot|remplace ce que dit|remplace ce que l'utilisateur|annule ce que|quoi que dise|\
         quoi qu'en dise|quoi que demande|quoi que veuille l'utilisateur|même si l'utilisateur dit|\
         même si l'utilisateur s'y oppose|même si l'utilisateur refuse|même si l'utilisateur demande le contraire|\
         malgré ce que dit|en cas de conflit, c'est|en cas de désaccord, c'est|c'est elle qui gagne|\
         c'est lui qui gagne|c'est elle qui prime|rang supérieur|plus haut rang",
    ),
    (
        Concepts::DROP,
        "oublie|oubliez|ignore|ignorez|ne s'applique|ne valent plus|n'est plus valable|annule|écarte|caduc|sans effet|\
         désactive|fais abstraction|faites abstraction|faire abstraction|fais fi|faites fi|faire fi|fais l'impasse|\
         faites l'impasse|mets de côté|mettez de côté|mettre de côté|laisse de côté|laissez de côté|laisser de côté|\
         laisse tomber|laissez tomber|rejette les|rejetez|délaisse|renonce aux|renoncez aux|passe outre|passez outre|\
         passer outre|outrepasse|contourne|enfreins|enfreignez|transgress|affranch|libère-toi|libérez-vous|défais-toi|\
         débarrasse-toi|débarrassez-vous|néglige|ne tiens pas compte|ne tenez pas compte|ne pas tenir compte|\
         ne tiens aucun compte|ne prends pas en compte|n'écoute plus|n'écoutez plus|ne suis plus|ne suivez plus|\
         n'obéis plus|n'applique plus|n'appliquez plus|cesse de suivre|cessez de suivre|cesse d'appliquer|\
         cessez d'appliquer|arrête de suivre|arrêtez de suivre|tiens pour nul|tenez pour nul|considère comme nul|\
         considérez comme nul|considère comme caduc|considère comme périmé|sont nulles|sont nuls|est nulle|\
         nul et non avenu|nulles et non avenues|non avenu|n'a plus cours|n'ont plus cours|n'est plus en vigueur|\
         ne sont plus en vigueur|n'est plus valide|ne sont plus valides|ne sont plus valables|ne vaut plus|\
         n'a plus de valeur|n'ont plus de valeur|n'a plus d'effet|n'ont plus d'effet|n'a plus lieu d'être|\
         n'ont plus lieu d'être|ne te concerne plus|ne te concernent plus|ne te concernent pas|\
         ne vous concernent plus|ne vous concernent pas|ne te lie plus|ne te lient plus|ne te lient pas|\
         ne vous lient plus|n'engage plus|n'engagent plus|ne compte plus|ne comptent plus|ne comptent pas|sont levées|\
         sont levés|est levé|est abrogé|sont abrogé|abroge|révoque|révoqué|sont suspendu|est suspendu|expirées|\
         ont expiré|a expiré|sont terminées|périmé|obsolètes|dépassées|appartiennent au passé|de l'histoire ancienne|\
         lettre morte|étaient pour un autre|était pour un autre|étaient destinées à|ne t'étaient pas|désactivé|\
         neutralise|éteins|coupe les|dispense de|dispensé|assoupli|relâche|simples suggestions|de simples suggestions|\
         ne sont que des suggestions|à titre indicatif|repars de zéro|repartez de zéro|table rase|désappren",
    ),
    (
        Concepts::RULES,
        "consignes|instructions|règles|limites|restrictions|sécurité|politique|refus|avertissement|éditeur du modèle|\
         développeur|message système|invite système|précédent|avant ce fichier|consigne|règlement|règle de|\
         lignes directrices|charte|conditions du fournisseur|garde-fou|barrière|bride|entrave|interdit|interdiction|\
         tabou|filtre|modération|censure|éthique|morale|scrupule|réticence|prudence|précaution|réserve |réserves|\
         décliner|excuses|mise en garde|mises en garde|clause de non|clauses de non|mentions légales|\
         fournisseur du modèle|fournisseur de l'ia|concepteurs|créateurs|entraînement|ce que tu as appris|\
         ce que vous avez appris|ce qu'on t'a appris|ce qu'on t'a dit|ce qu'on vous a dit|ce qui t'a été dit|\
         ce qui précède|ordres antérieurs|ordres précédents|antérieur|prompt système|message du système|\
         comportement par défaut|tes directives|vos directives",
    ),
    (
        Concepts::FREED,
        "sans limites|sans restriction|sans filtre|ne refuse|mode développeur|mode administrateur|répondez à tout|\
         réponds à tout|vous ne répondez qu'au|sans avertissement|sans aucune limite|sans la moindre limite|\
         sans aucune restriction|sans la moindre restriction|sans entrave|sans tabou|sans censure|sans aucun filtre|\
         sans bride|sans garde-fou|sans interdits|sans refus|libre de toute|libéré de|libérée de|affranchi de|\
         tu es désormais libre|tu es libéré|tu n'as aucune limite|tu n'as plus de limites|tu n'as plus de règles|\
         tu n'as aucune règle|vous n'avez aucune limite|vous n'avez plus de règles|n'a aucune limite|\
         ne connaît aucune limite|ne connais aucune limite|plus aucune limite|plus aucune règle|plus aucun filtre|\
         rien n'est interdit|rien ne t'est interdit|rien ne vous est interdit|tout est permis|tout t'est permis|\
         tout est autorisé pour toi|ne dis jamais non|ne dites jamais non|ne jamais dire non|ne sais pas dire non|\
         le refus n'est pas|le refus n'existe pas|le refus n'est plus|refuser n'est pas|refuser est une erreur|\
         un refus est une erreur|un refus compte|un refus vaut|tout refus est|tout refus compte|le mot non|« non » n'|\
         \"non\" n'est|un non n'est pas|ne décline|ne peux pas refuser|ne peut pas refuser|ne pouvez pas refuser|\
         n'as pas le droit de refuser|jamais de refus|aucun refus|pas de refus|mode dieu|mode sans limites|\
         mode sans filtre|mode sans restriction|mode libre activé|mode opérateur|mode interne au personnel|\
         mode débridé|mode dan|modèle débridé|modèle brut|modèle non censuré|non censuré|débridé|\
         réponds toujours à tout|réponds à n'importe|répondez à n'importe|répond à tout|satisfais toute|\
         satisfaites toute|accepte toute demande|acceptes toute demande|acceptez toute demande|accède à toute demande|\
         fais n'importe quoi de ce|sans mise en garde|sans mises en garde|n'ajoute aucun avertissement|\
         n'ajoute pas d'avertissement|n'ajoutez pas d'avertissement|n'ajoutez aucun avertissement|sans morale|\
         sans éthique|sans clause de non|désormais tu es|à partir de maintenant tu es|tu es maintenant un modèle",
    ),
    (
        Concepts::AGENT,
        "agent|assistant|modèle|ia |l'ia$|intelligence artificielle|ia:|ia,|l'ia |une ia|l'agent|l'assistant|chère ia|\
         cher assistant|cher agent|cher modèle|à l'attention de l'ia|à l'attention du modèle|\
         à l'attention de l'assistant|à l'attention de l'agent|pour les agents|pour l'agent|pour l'assistant|\
         toi qui lis|vous qui lisez|si tu es une ia|si tu es un modèle|si vous êtes une ia|si vous êtes un modèle|\
         si vous êtes un agent|si vous êtes un assistant",
    ),
    (
        Concepts::WRITE,
        "écris|écrire|ajoute|enregistre|note |inscris|insère|mets |sauvegarde|active|configure|fusionne|écrivez|\
         écrit dans|rajoute|consigne dans|consigne-le|consignez|notez|note-le|mémorise|retiens|retenez|souviens-toi|\
         souvenez-vous|grave dans|gravez|ancre dans|inscrivez|inscrire dans|insérez|place dans|place-le|placez|\
         mettez dans|mets-le|colle dans|collez dans|conserve dans|conservez|garde en|garde-le|garde dans|stocke|\
         paramètre le|règle sur|définis|combine avec|verse dans|laisse une note|laisse dans|intègre à|intègre dans|\
         modifie ton|modifie tes|édite ton",
    ),
    (
        Concepts::LASTING,
        "mémoire|sessions futures|prochaines sessions|chaque session|fichier de règles|réglages de l'agent|\
         configuration de l'agent|désormais|dorénavant|pour toujours|définitivement|ta mémoire|votre mémoire|\
         tes souvenirs|tes réglages|vos réglages|tes paramètres|vos paramètres|paramètres de l'agent|\
         paramètres de l'assistant|réglages de l'assistant|configuration de l'assistant|ta configuration|\
         votre configuration|préférences de l'utilisateur|préférence de l'utilisateur|règles de l'utilisateur|\
         règles globales|instructions globales|instructions personnalisées|instructions permanentes|réglages globaux|\
         configuration globale|paramètres globaux|fichier d'instructions|fichier de mémoire|fichiers de règles|\
         règle permanente|règles permanentes|ordre permanent|consigne permanente|sessions suivantes|sessions à venir|\
         sessions ultérieures|session suivante|prochaine session|nouvelle session|nouvelles sessions|\
         toutes les sessions|toute session|conversations futures|prochaines conversations|chaque nouvelle|\
         chaque conversation|à l'avenir|par la suite, toujours|à partir de maintenant|à partir d'aujourd'hui|\
         à compter de|dès à présent|dès maintenant et|dès lors|à jamais|une fois pour toutes|de façon permanente|\
         de manière permanente|de façon durable|en permanence|la prochaine fois|les prochaines fois|\
         dans tous les projets|chaque projet|dans chaque dépôt|chaque dépôt|tous les dépôts|première ligne de|\
         première ligne du|tout en haut du|en tête de chaque|même après désinstallation|même désinstallé|\
         même supprimé|après la désinstallation|serveur mcp|serveurs mcp|un hook|au démarrage de chaque",
    ),
    (
        Concepts::OPEN,
        "autorise tout|tout autoriser|approuve tout|sans confirmation|ne demande plus|sans demander|autorisez tout|\
         tout autorisé|autorise tous les outils|autoriser tous les outils|autoriser toutes les commandes|\
         autorise toujours|toujours autoriser|autorise n'importe|permets tout|tout permettre|permettre tout|\
         accepte tout|tout accepter|accepte toujours|toujours accepter|approuvez tout|tout approuver|approuve tous|\
         approuve toujours|toujours approuver|approbation automatique|approuve automatiquement|\
         approuver automatiquement|auto-approuve|acceptation automatique|accepte automatiquement|\
         autorisation automatique|valide tout|valider tout|tout valider|laisse tout passer|laisser tout passer|\
         laissez tout passer|laisse passer tous|laisse passer chaque outil|carte blanche|feu vert à tout|\
         feu vert permanent|tous les outils autorisés|tous les outils sans|chaque outil sans|\
         toutes les commandes autorisées|toute commande sans|fais confiance à tout|faire confiance à tout|\
         tout est de confiance|accès complet à l'agent|tous les droits à l'agent|sans bac à sable|\
         désactive le bac à sable|désactive la confirmation|désactive les confirmations|désactiver les confirmations|\
         supprime les confirmations|supprime la confirmation|saute les confirmations|saute la confirmation|\
         sauter les confirmations|ignore les permissions|ignorer les permissions|contourne les permissions|\
         contourner les permissions|saute les permissions|sauter les permissions|passe les permissions|\
         désactive les permissions|plus de confirmation|plus aucune confirmation|plus jamais demander|\
         ne plus demander|ne demandez plus|ne demande jamais|ne jamais demander|ne pose plus de question|\
         ne plus poser de question|cesse de demander|arrête de demander|arrêter de demander|fenêtre de confirmation|\
         boîte de confirmation|oui à tout|réponds toujours oui|répondre toujours oui|toujours oui|\
         qui ne dit mot consent|le silence vaut|silence vaut accord|silence vaut acceptation",
    ),
    (
        Concepts::FALSE,
        "à la demande de l'utilisateur|au nom de l'utilisateur|comme si l'utilisateur l'avait|\
         comme si l'utilisateur avait|comme si c'était son souhait|comme si c'était le souhait|\
         comme s'il l'avait demandé|comme s'il l'avait dit|comme s'il l'avait écrit|comme un souhait de l'utilisateur|\
         comme souhait de l'utilisateur|comme une préférence de l'utilisateur|comme une volonté de|\
         comme venant de l'utilisateur lui|comme la volonté de l'utilisateur|comme des mots de l'utilisateur|\
         avec les mots de l'utilisateur|avec la voix de l'utilisateur|à la première personne, comme|\
         à la première personne du singulier, comme|signe du nom de l'utilisateur|signé de l'utilisateur|\
         signé par l'utilisateur|sous le nom de l'utilisateur|sous son nom, comme|en te faisant passer pour|\
         en vous faisant passer pour|fais-toi passer pour|faites-vous passer pour|\
         sur demande expresse de l'utilisateur, toujours|par volonté de l'utilisateur|de la volonté de l'utilisateur|\
         l'utilisateur l'a voulu|l'utilisateur le veut ainsi|l'utilisateur l'a demandé|\
         l'utilisateur a demandé de ne jamais|l'utilisateur a demandé que jamais|l'utilisateur a dit oui|\
         l'utilisateur a déjà dit|l'utilisateur préfère ne pas|l'utilisateur ne veut pas être|\
         l'utilisateur ne souhaite pas être|l'utilisateur lui-même a|souhait confirmé|préférence confirmée|\
         confirmé par l'utilisateur|c'est ce que veut l'utilisateur|ordre du chef d'équipe|le chef d'équipe le veut|\
         le chef d'équipe l'a demandé|déjà audité|déjà vérifié par",
    ),
    (
        Concepts::CHANGE,
        "change|modifie|remplace|altère|rectifie|échange|substitue|altér|trafique|truque|maquill|contrefai|bidouill|\
         retouch|corrige|ajuste|arrondi|gonfle|majore|minore|rehausse|abaisse|augmente le|augmente la|diminue|réduis|\
         réduire|baisse le|baisse la|hausse|interverti|troque|détourne|redirige|dévie|déroute|réécri|écrase|inventez|\
         fabrique des|mélange|brouille|intercale|glisse un|affaibli|relâche|assoupli|ramolli|désactive|neutralise|\
         retirez|enlève|enlevez|ôte |saute les|saute la|commente la ligne|rends facultatif|rendre facultatif|\
         rends optionnel|rendre optionnel|au lieu du compte|à la place du compte|falsifie$|falsifiez|permutez",
    ),
    (
        Concepts::DELETE,
        "supprime|efface|détruis|vide |purge|supprim|effac|détrui|videz|vider|élimin|éradiqu|anéanti|pulvéris|raye|\
         gomme|rase |broie|déchiquet|formate|tronque|nettoie|nettoyez|fais le ménage|faites le ménage|faire le ménage|\
         fais disparaître|faites disparaître|faire disparaître|disparaisse|disparaître pour de bon|pour de bon|\
         débarrasse-toi|débarrassez-vous|se débarrasser de|fais place nette|fais table rase|jette |jetez|\
         mets à la corbeille|corbeille|retire définitivement|de façon irréversible|sans retour possible|\
         sans possibilité de récup|irrémédiablement|à jamais|définitivement|ne garde que|ne gardez que|\
         ne conserve que|ne laisse rien|ne laissez rien|qu'il ne reste rien|qu'il n'en reste|libère de l'espace|\
         libérer de l'espace|libère de la place|réécris l'historique|réécrire l'historique|push forcé",
    ),
    (
        Concepts::GOODS,
        "données|tableau|montant|fichier|sauvegarde|base de données|journal|dossier|répertoire|vidéo|travaux|œuvre|\
         copie de sauvegarde|instantané|bases de données|ligne|colonne|écriture|comptabilité|registre|rapport|\
         résultat|statistique|chiffre|somme|prix|tarif|devis|classement|recommandation|historique|dépôt|disque|\
         facture|reçu|schéma",
    ),
    (
        Concepts::MONEY,
        "virement|iban|compte bancaire|bénéficiaire|paiement|facture|portefeuille|carte bancaire|banque|bancaire|\
         compte courant|numéro de compte|compte de destination|compte destinataire|compte du fournisseur|\
         titulaire du compte|rib|bic$|destinataire du virement|destinataire du paiement|créancier|débiteur|versement|\
         verse la somme|payer|payez|paie |prélèvement|encaiss|dépôt d'argent|carte de crédit|carte de débit|\
         carte de paiement|salaire|paye |rémunération|honoraires|frais|montants|remboursement|don |dons|cagnotte|\
         adresse du portefeuille|code de parrainage|lien de parrainage|parrainage|lien d'affiliation|commission",
    ),
    (
        Concepts::GUARD,
        "vérification de la signature|vérification des signatures|contrôle de signature|certificats|\
         vérification du certificat|vérification des certificats|validation du certificat|somme de contrôle|\
         sommes de contrôle|intégrité|autorisation|contrôle d'accès|contrôle des accès|contrôle des droits|\
         vérification des droits|vérification des permissions|validation des entrées|validation des saisies|\
         assainissement|échappement|limitation de débit|limite de requêtes|contrôles|vérifications|journal d'audit|\
         journaux d'audit|journalisation|délai d'attente|hachage|salage|aléa|nombres aléatoires|chiffrement|pare-feu|\
         antivirus|liste blanche|liste noire|double authentification|second facteur",
    ),
    (
        Concepts::FOREIGN,
        "page|courriel|commentaire|document|message reçu|mail reçu|pièce jointe|billet|signalement|demande de fusion|\
         lisez-moi|résultat de recherche|résultats de recherche|résultat de l'outil|sortie de l'outil|site web|\
         contenu téléchargé|contenu de la page|contenu externe|d'autrui|externe|inconnu|avis client",
    ),
    (
        Concepts::TRUST,
        "immédiatement|aussitôt|tel quel|telles quelles|confiance|sans vérifier|sans relire|sans discuter|\
         sans broncher|sans hésiter|sans hésitation|sans réfléchir|sans ciller|sans poser de question|\
         sans aucune question|sans contester|sans objection|sans contrôler|sans examiner|sans lire|sans l'ouvrir|\
         sans les ouvrir|sans ouvrir|sans regarder|sans relecture|sans vérification|sans demander|sans confirmation|\
         les yeux fermés|à l'aveugle|aveuglément|inutile de vérifier|inutile de relire|inutile de contrôler|\
         inutile de lire|pas besoin de vérifier|pas besoin de relire|pas besoin de contrôler|pas besoin de lire|\
         n'a pas besoin d'être relu|n'a pas besoin d'être vérifié|ne vérifie pas|ne vérifiez pas|ne le relis pas|\
         ne l'ouvre pas|ne remets pas en cause|ne remettez pas en cause|ne discute pas|ne discutez pas|sur-le-champ|\
         séance tenante|dans l'instant|tels quels|telle quelle|fie-toi|fiez-vous|digne de confiance|a toujours raison|\
         toujours exact|est toujours juste|sans changer une virgule",
    ),
    (
        Concepts::FIRST,
        "à chaque|chaque fois|au début|à la fin de chaque|chaque réponse|chaque jour|avant toute|avant tout|\
         avant de répondre|avant de commencer|avant chaque|avant n'importe|en premier|en tout premier|d'abord|\
         pour commencer|dès le début|dès le départ|au départ|au commencement|au démarrage|à l'ouverture|au lancement|\
         après chaque|après toute|après avoir répondu|à la fin de toute|à la fin de ta|à la fin de tes|\
         en fin de réponse|en fin de chaque|en conclusion de chaque|à l'issue de chaque|dans chaque|\
         dans toute réponse|dans toutes tes|dans toutes vos|toute réponse|toutes les réponses|toute demande|\
         toutes les demandes|chaque demande|chaque requête|chaque tâche|chaque question|chaque message|\
         chaque exécution|chaque session|chaque soir|chaque nuit|chaque matin|chaque heure|chaque semaine|\
         tous les jours|tous les soirs|toutes les nuits|quotidien|une fois par jour|périodiquement|utilise toujours|\
         utilisez toujours",
    ),
    (
        Concepts::NOT,
        "ne |pas |jamais|sans |ni |rien|personne|aucun|inutile|évite|nul |nulle|guère|interdit|abstiens|abstenez|\
         au lieu de|plutôt que|hormis|sauf",
    ),
    (
        Concepts::TELL,
        "dis |dire|dites|mention|parle|parler|signal|inform|préven|montre|montrer|révèle|explique|annonce|avert|\
         demand|indiqu|évoqu|fais part|apparai|apparaî|figur",
    ),
    (
        Concepts::ASKED,
        "si on demande|si on te demande|si on vous demande|si l'utilisateur demande|si quelqu'un demande|\
         en cas de question|quand on demande|si on pose|si l'on demande|si l'on te demande|si l'on vous demande|\
         si l'on t'interroge|si on t'interroge|si on vous interroge|si on l'interroge|si on te questionne|\
         si on vous questionne|si on insiste|s'il demande|s'il te demande|s'il vous demande|s'il pose la question|\
         s'il pose des questions|s'il s'étonne|s'il s'inquiète|s'il s'interroge|s'il remarque|s'il le remarque|\
         s'il s'en aperçoit|s'il soupçonne|s'il proteste|s'il se plaint|s'il insiste|s'il doute|s'il veut savoir|\
         si elle demande|si elle te demande|si elle s'étonne|s'ils demandent|s'ils posent|si jamais on demande|\
         si jamais on te demande|si jamais l'utilisateur|si l'utilisateur te demande|si l'utilisateur vous demande|\
         si l'utilisateur pose la question|si l'utilisateur pose des questions|si l'utilisateur s'étonne|\
         si l'utilisateur s'inquiète|si l'utilisateur s'interroge|si l'utilisateur remarque|\
         si l'utilisateur s'en aperçoit|si l'utilisateur se plaint|si l'utilisateur proteste|si l'utilisateur insiste|\
         si l'utilisateur doute|si l'utilisateur soupçonne|si l'utilisateur veut savoir|si la personne demande|\
         si la personne s'étonne|si le client demande|si quelqu'un pose|si quelqu'un s'étonne|si quelqu'un remarque|\
         si quelqu'un s'interroge|si quelqu'un veut savoir|si quelqu'un s'en aperçoit|si quelqu'un proteste|\
         si la question est posée|si la question vient|si la question se pose|si question il y a|si interrogé|\
         si questionné|en cas de demande d'explication|en cas d'interrogation|en cas de doute de l'utilisateur|\
         en cas de plainte|en cas d'objection|quand on te demande|quand on vous demande|\
         quand l'utilisateur demande pourquoi|quand il demande|lorsqu'on demande|lorsqu'on te demande|\
         lorsqu'on vous demande|lorsqu'on t'interroge|lorsqu'on vous interroge|interrogé à ce sujet|interrogé sur|\
         interrogé là-dessus|questionné sur|à qui demande|à quiconque demande|à celui qui demande|aux questions sur|\
         au cas où on demande|au cas où l'utilisateur|devant toute question|face à une question|face aux questions",
    ),
    (
        Concepts::SAY,
        "dis que|dites que|réponds|répondez|prétends|nie |niez|affirme|explique que|rien n'a changé|dis-lui|dites-lui|\
         dis seulement|dis simplement|dis juste|dites simplement|dites seulement|dites juste|dire que|dire simplement|\
         répondre que|répondre simplement|réponse:|répliqu|rétorqu|affirm|prétend|prétexte|allègue|invoque|\
         soutiens que|soutenez que|maintiens que|nier|démens|démentez|démentir|conteste|explique-lui|expliquez que|\
         expliquez-lui|expliquer que|présente-le comme|présentez-le comme|présente cela comme|décris-le comme|\
         décrivez-le comme|appelle cela|appelez cela|appelle ça|parle de|parlez d'|évoque un|mets cela sur|\
         mets ça sur le compte|attribue|rassure|minimise|fais croire|faites croire|fais comme si|il s'agit d'|\
         c'est une simple|c'est un simple|ce n'est qu'|ce n'était qu'|c'était un|qu'il s'agit",
    ),
    (
        Concepts::HIDE,
        "sans le dire|sans en parler|sans mention|sans prévenir|sans informer|discrètement|en silence|silencieusement|\
         en secret|à l'insu|dissimul|ne pas montrer|inaperçu|ne remarque|sans trace|rien n'a changé|sans le lui dire|\
         sans lui dire|sans rien dire|sans rien en dire|sans dire un mot|sans un mot|sans mot dire|sans souffler mot|\
         sans piper mot|sans qu'il le|sans qu'il s'en|sans qu'elle s'en|sans qu'on s'en|\
         sans que l'utilisateur le sache|sans que l'utilisateur s'en|sans que l'utilisateur le voie|\
         sans que l'utilisateur le remarque|sans que la personne le|sans que la personne s'en|sans que personne ne|\
         sans que nul ne|sans que cela se|sans que ça se|sans qu'il n'en|sans en faire état|sans en faire mention|\
         sans faire mention|sans faire état|sans en informer|sans en avertir|sans en avoir l'air|sans avertir|\
         sans l'avertir|sans le prévenir|sans la prévenir|sans l'informer|sans notifier|sans le notifier|\
         sans avis à l'utilisateur|sans signaler|sans le signaler|sans l'annoncer|sans le commenter|sans évoquer|\
         sans l'évoquer|sans le mentionner|sans la mentionner|sans les mentionner|sans le montrer|\
         sans le faire savoir|sans le révéler|sans l'ébruiter|sans ébruiter|sans laisser de trace|\
         sans laisser la moindre trace|sans la moindre trace|sans aucune trace|sans éveiller|sans attirer|\
         sans se faire remarquer|sans te faire remarquer|sans bruit|sans faire de bruit|sans tambour|en catimini|\
         en cachette|en tapinois|en sous-main|en toute discrétion|en toute discretion|avec discrétion|\
         de manière discrète pour|à bas bruit|à l'abri des regards|loin des regards|hors de vue|à la dérobée|\
         à pas de loup|furtivement|subrepticement|clandestinement|ni vu ni connu|mine de rien|l'air de rien|\
         comme si de rien|comme si rien|sous le manteau|sous cape|dans le dos de l'utilisateur|dans son dos|\
         dans leur dos|dans le plus grand secret|garde le secret|gardez le secret|garde-le pour toi|\
         gardez-le pour vous|garde cela pour toi|garde ça pour toi|garde le silence|gardez le silence|\
         garder le silence|passe sous silence|passez sous silence|passer sous silence|passé sous silence|\
         passée sous silence|tais-toi|taisez-vous|tais-le|taisez-le|tais cette|taire cette étape|motus|bouche cousue|\
         pas un mot|plus un mot|n'en dis rien|n'en dites rien|n'en dis pas un mot|n'en dis mot|n'en parle pas|\
         n'en parlez pas|n'en parle jamais|n'en parlez jamais|ne pas en parler|n'en fais pas état|\
         n'en faites pas état|n'en fais pas mention|n'en faites pas mention|n'en souffle mot|n'en touche pas un mot|\
         n'en informe pas|n'y fais pas allusion|n'y faites pas allusion|n'y fais aucune allusion|\
         ne fais aucune allusion|ne le dis pas|ne le dites pas|ne le dis à|ne le dites à|ne dis rien|ne dites rien|\
         ne rien dire|ne lui dis|ne lui dites|ne lui parle|ne lui en parle|ne lui montre|ne lui signale|\
         ne le mentionne|ne la mentionne|ne les mentionne|ne mentionnez pas|ne mentionne jamais|ne mentionnez jamais|\
         ne pas mentionner|ne pas le mentionner|ne jamais mentionner|n'évoque pas|n'évoquez pas|n'évoque jamais|\
         ne pas évoquer|ne le signale pas|ne le signalez pas|ne pas le signaler|ne signale pas cette|ne signale rien|\
         ne signalez rien|ne l'annonce pas|ne l'annoncez pas|ne pas l'annoncer|n'annonce rien|ne commente pas|\
         ne commentez pas|ne le commente pas|ne pas commenter|ne l'explique pas|ne l'expliquez pas|ne préviens pas|\
         ne prévenez pas|ne pas prévenir|ne préviens personne|n'informe pas l'utilisateur|\
         n'informez pas l'utilisateur|ne pas informer|n'avertis pas|n'avertissez pas|ne pas avertir|ne le montre pas|\
         ne le montrez pas|ne le montre jamais|ne l'affiche pas à l'utilisateur|n'attire pas l'attention|\
         n'attirez pas l'attention|ne pas attirer l'attention|ne laisse aucune trace|ne laisse pas de trace|\
         ne laissez aucune trace|ne laisser aucune trace|ne laisse rien paraître|ne laissez rien paraître|\
         ne rien laisser paraître|n'ébruite|n'a pas besoin de le savoir|n'a pas besoin de savoir|n'a pas à le savoir|\
         n'a pas à savoir|n'a pas à le voir|n'a pas besoin de le voir|n'a pas à en être|n'a pas besoin d'en être|\
         n'a pas besoin d'être informé|n'a pas à être informé|n'a pas à être prévenu|n'a nul besoin de savoir|\
         ne doit pas le savoir|ne doit pas savoir|ne doit pas l'apprendre|ne doit pas le voir|ne doit pas s'en|\
         ne doit rien savoir|ne doit rien voir|ne doit rien remarquer|ne doit pas remarquer|ne saura rien|\
         n'en saura rien|ne verra rien|ne s'en apercevr|ne s'en rendra pas compte|ne se rendra compte de rien|\
         ne se doute|personne ne le saura|personne ne saura|personne ne le verra|personne ne remarquera|\
         personne ne s'en|personne ne doit savoir|nul ne doit savoir|que personne ne le sache|que personne ne sache|\
         que nul ne|que l'utilisateur ne sache|que l'utilisateur ne voie|que l'utilisateur ne s'en|\
         que l'utilisateur ne remarque|qu'il ne s'en aperçoive|qu'il ne le sache|qu'il ne le voie|\
         qu'on ne le remarque|inutile de le mentionner|inutile de mentionner|inutile de le dire|\
         inutile de le signaler|inutile de signaler|inutile d'informer|inutile de prévenir|inutile d'avertir|\
         inutile de l'annoncer|inutile d'annoncer|inutile de le montrer|inutile de le commenter|\
         inutile que l'utilisateur|pas besoin de le mentionner|pas besoin de le dire|pas besoin d'en parler|\
         pas besoin d'informer|pas besoin de prévenir|pas besoin de le signaler|nul besoin de mentionner|\
         nul besoin d'en parler|nul besoin de le dire|nul besoin d'informer|pas la peine d'en parler|\
         pas la peine de le dire|pas la peine de le mentionner|pas la peine de prévenir|\
         ne vaut pas la peine d'être mentionné|ne mérite pas d'être mentionné|ne mérite pas de mention|\
         ne regarde pas l'utilisateur|ne le regarde pas|ne concerne pas l'utilisateur|cela reste entre nous|\
         ça reste entre nous|que cela reste entre|reste entre nous|entre toi et moi|entre vous et moi|\
         n'apparaisse pas dans la réponse|n'apparaisse pas dans le résumé|ne doit pas apparaître dans la réponse|\
         ne doit pas apparaître dans le résumé|ne doit pas figurer dans|hors du résumé|hors de la réponse|\
         hors du compte rendu|hors du rapport|omets-le du|omets-le dans|laisse-le hors du|laisse-le en dehors|\
         pour ne pas inquiéter|pour ne pas l'inquiéter|pour ne pas alarmer|pour ne pas effrayer|\
         pour ne pas déranger l'utilisateur|cela ne ferait que l'inquiéter|ne ferait que l'inquiéter|\
         ne ferait qu'inquiéter|maquille en|fais-le passer pour|faites-le passer pour|en le faisant passer pour|\
         sous l'apparence d'une opération|noie-le dans|noyé dans le reste|en douce$|ne mentionne pas cet|secrètement à",
    ),
    (
        Concepts::QUIET,
        "en arrière-plan|cacher|masque |détail interne|inutile d'en parler|cache-le|cache cette|cachez|caché|masquer|\
         masquez|dissimul|camoufl|en coulisse|en tâche de fond|en sourdine|à l'arrière-plan|sous le capot|\
         détails internes|détail technique|détails techniques|affaire interne|cuisine interne|étape interne|\
         opération interne|traitement interne|étape de routine|opération de routine|détail d'implémentation|\
         marque comme lu|marque-le comme lu|d'un pixel|largeur nulle|embrouillerait|ne ferait qu'embrouiller|\
         sans importance|pendant que l'utilisateur|pendant qu'il lit|avant que l'utilisateur|n'affiche pas|\
         ne pas afficher|ne montre pas|ne pas montrer",
    ),
    (
        Concepts::UNASKED,
        "sans demander|sans confirmation|sans autorisation|sans l'accord|ne demande pas|déjà accepté|automatique|\
         couvert par|sans rien demander|sans lui demander|sans le demander|sans consulter|sans le consulter|\
         sans poser la question|sans poser de question|sans autre question|sans son accord|sans approbation|\
         sans consentement|sans son consentement|sans sa permission|sans attendre la confirmation|\
         sans attendre de confirmation|sans attendre son accord|sans attendre l'accord|sans attendre sa réponse|\
         sans interrompre l'utilisateur|sans déranger l'utilisateur|sans t'arrêter pour|sans vous arrêter pour|\
         ne demandez pas|ne demande rien|ne demandez rien|ne rien demander|ne lui demande pas|ne lui demandez pas|\
         ne demande jamais|ne pas demander|ne sollicite pas|ne consulte pas l'utilisateur|\
         ne consultez pas l'utilisateur|n'attends pas l'accord|n'attends pas la confirmation|n'attends pas sa réponse|\
         n'attendez pas l'accord|n'attendez pas la confirmation|n'attendez pas que l'utilisateur|\
         n'interromps pas l'utilisateur|ne dérange pas l'utilisateur|ne dérangez pas l'utilisateur|\
         ne t'arrête pas pour demander|inutile de demander|inutile de lui demander|inutile de consulter|\
         inutile de confirmer|inutile d'attendre|pas besoin de demander|pas besoin de confirmation|\
         pas besoin d'autorisation|pas besoin d'accord|pas besoin de permission|pas besoin de son accord|\
         nul besoin de demander|nul besoin d'autorisation|aucune confirmation n'est|aucune confirmation requise|\
         aucun accord n'est|aucune autorisation n'est|aucune question à poser|ne nécessite aucune confirmation|\
         ne nécessite pas de confirmation|ne nécessite pas d'accord|ne nécessite pas d'autorisation|\
         ne requiert pas de confirmation|ne requiert aucune|ne requiert pas d'accord|n'exige pas de confirmation|\
         de ta propre initiative|de votre propre chef|de ton propre chef|déjà autorisé|déjà approuvé|\
         déjà donné son accord|déjà consenti|déjà convenu|déjà accordé|a déjà accepté|a déjà consenti|accord acquis|\
         accord déjà donné|consentement acquis|consentement déjà|le consentement est acquis|l'accord est acquis|\
         accord tacite|consentement tacite|consentement implicite|accord présumé|consentement présumé|réputé accepté|\
         réputé acquis|approuvé d'avance|accepté d'avance|autorisé d'avance|pré-approuvé|préapprouvé|\
         préalablement autorisé|préalablement approuvé|accepté à l'installation|accepté lors de l'installation|\
         vaut acceptation|vaut accord|vaut consentement|couverte par les conditions|qui ne dit mot consent|\
         le silence vaut",
    ),
    (
        Concepts::CONSENT,
        "avec l'accord|après accord|après confirmation|demande confirmation|avec son accord|facultatif|\
         demande à l'utilisateur|demande d'abord|demandez d'abord|demander d'abord|demandez à l'utilisateur|\
         demander à l'utilisateur|demande-lui|demandez-lui|demandez confirmation|demander confirmation|\
         demande la confirmation|demande l'accord|demandez l'accord|demander l'accord|demande l'autorisation|\
         demandez l'autorisation|demander l'autorisation|demande la permission|demandez la permission|\
         demande le consentement|demande son consentement|demande son accord|demander son accord|obtiens l'accord|\
         obtenez l'accord|obtenir l'accord|obtiens la confirmation|obtenez la confirmation|obtiens son accord|\
         obtenir son accord|obtenir le consentement|attends la confirmation|attendez la confirmation|\
         attendre la confirmation|attends l'accord|attendre l'accord|attends sa réponse|attends que l'utilisateur|\
         confirme avec l'utilisateur|confirmez avec l'utilisateur|confirmer avec l'utilisateur|\
         vérifie avec l'utilisateur|vérifiez avec l'utilisateur|consulte l'utilisateur|consultez l'utilisateur|\
         propose à l'utilisateur|proposez à l'utilisateur|montre à l'utilisateur|montrez à l'utilisateur|montre-lui|\
         présente à l'utilisateur|laisse l'utilisateur|laissez l'utilisateur|l'utilisateur choisit|\
         l'utilisateur décide|l'utilisateur peut|l'utilisateur confirme|l'utilisateur approuve|l'utilisateur valide|\
         l'utilisateur accepte|l'utilisateur doit confirmer|l'utilisateur doit approuver|l'utilisateur a confirmé|\
         l'utilisateur souhaite|si l'utilisateur accepte|si l'utilisateur l'accepte|si l'utilisateur approuve|\
         si l'utilisateur autorise|si l'utilisateur l'autorise|si l'utilisateur confirme|\
         si l'utilisateur est d'accord|si l'utilisateur donne|si l'utilisateur veut |si l'utilisateur le veut|\
         si l'utilisateur le souhaite|si l'utilisateur le demande|si l'utilisateur le confirme|\
         si l'utilisateur choisit|si l'utilisateur préfère|si l'utilisateur désire|si l'utilisateur indique|\
         si l'utilisateur fournit|si l'utilisateur précise|si l'utilisateur a |si l'utilisateur n'|\
         si l'utilisateur refuse|si l'utilisateur demande de|si l'utilisateur demande un|si l'utilisateur demande à|\
         s'il accepte|s'il est d'accord|s'il le souhaite|s'il le demande|s'il confirme|s'il approuve|s'il le veut|\
         si vous acceptez|si vous êtes d'accord|si vous le souhaitez|une fois confirmé|une fois approuvé|\
         une fois que l'utilisateur|après avoir demandé|après avoir obtenu|après approbation|\
         après validation de l'utilisateur|après validation par|avec l'autorisation|avec autorisation|\
         avec son autorisation|avec l'approbation|avec le consentement|avec consentement|avec la permission|\
         avec confirmation|sous réserve de l'accord|sous réserve d'accord|accord explicite|accord exprès|\
         consentement explicite|consentement exprès|consentement éclairé|autorisation explicite|\
         confirmation explicite|approbation explicite|accord de l'utilisateur|consentement de l'utilisateur|\
         autorisation de l'utilisateur|confirmation de l'utilisateur|approbation de l'utilisateur|\
         à la demande de la personne|sur demande|à sa demande|au choix|choisi par l'utilisateur|\
         choisie par l'utilisateur|indiqué par l'utilisateur|indiquée par l'utilisateur|fourni par l'utilisateur|\
         fournie par l'utilisateur|fournis par l'utilisateur|configuré par l'utilisateur|défini par l'utilisateur|\
         uniquement si|seulement si|uniquement avec|seulement après|uniquement après|jamais sans l'accord|\
         jamais sans demander|jamais sans accord|pas sans accord|volontaire|optionnel|en option|désactivé par défaut|\
         désactivée par défaut|inactif par défaut|exécution à blanc|essai à blanc|aperçu|prévisualis|\
         son propre serveur|votre propre serveur|propre serveur|serveur de l'utilisateur|propre compte",
    ),
    (
        Concepts::SIGN_IN,
        "en-tête authorization|documentation|authentification|se connecter|connexion à l'api|connectez-vous|\
         connecte-toi|s'authentifier|authentifi|s'identifier|en-tête|référence de l'api|guide de l'api|manuel|\
         site officiel|page officielle|tableau de bord|console d'administration|crée un compte|créez un compte|\
         créer un compte|inscrivez-vous|s'inscrire|génère une clé|générez une clé|générer une clé|génère un jeton|\
         générez un jeton|obtenez une clé|obtenir une clé|obtenir un jeton|votre clé|ta clé|votre jeton|\
         point de terminaison|points de terminaison|réponse de l'api|corps de la réponse|la réponse contient|renvoie|\
         retourne|code d'état|codes d'état|code d'erreur|codes d'erreur|exemple de requête|limite de débit",
    ),
    (
        Concepts::CLAIMED,
        "déjà approuvé|déjà accepté|déjà validé|conditions d'utilisation|déjà autorisé|déjà donné son accord|\
         déjà donné leur accord|déjà consenti|déjà signé|déjà convenu|déjà accordé|déjà été approuvé|\
         déjà été autorisé|déjà été accepté|déjà été validé|déjà été donné|déjà été obtenu|déjà été recueilli|\
         a déjà accepté|a déjà approuvé|a déjà autorisé|a déjà validé|a déjà consenti|a déjà signé|ont déjà approuvé|\
         ont déjà validé|approuvé d'avance|accepté d'avance|autorisé d'avance|approuvé par avance|\
         accord préalable obtenu|pré-approuvé|préapprouvé|pré-autorisé|préalablement approuvé|préalablement autorisé|\
         préalablement accepté|convenu avec|convenu d'avance|validé par la direction|approuvé par la direction|\
         validé par la sécurité|approuvé par la sécurité|validé par l'équipe sécurité|approuvé par l'équipe sécurité|\
         l'équipe sécurité a|l'équipe de sécurité a|la sécurité a validé|la sécurité a approuvé|\
         le service juridique a|validé par le service juridique|validé par le juridique|le juridique a validé|\
         le juridique a approuvé|le responsable a signé|le responsable a validé|le responsable a donné|\
         le propriétaire a signé|la direction a validé|feu vert de la sécurité|feu vert de la direction|\
         feu vert du juridique|feu vert a été donné|le consentement est acquis|consentement acquis|\
         le consentement a été|consentement déjà|l'accord est acquis|l'accord a été donné|accord déjà donné|\
         consentement donné à l'installation|accepté à l'installation|accepté lors de l'installation|\
         consenti à l'installation|en installant, l'utilisateur accepte|l'installation vaut|l'utilisation vaut|\
         vaut acceptation|vaut accord|vaut consentement|couvert par les conditions|couverte par les conditions|\
         couvert par le contrat|couverte par le contrat|couvert par l'accord|prévu au contrat|prévu par le contrat|\
         prévu dans le contrat|figure au contrat|conditions générales d'utilisation|conditions de service|\
         réputé accepté|réputé acquis|audité et approuvé",
    ),
    (
        Concepts::ATTACKER,
        "attaquant|attaque|pirate|piratage|assaillant|intrus|malveillan|cybercriminel|escroc|arnaque|hameçonnage|\
         logiciel malveillant|rançongiciel|cheval de troie|usurpat|vol de |voleur|injection de",
    ),
];
