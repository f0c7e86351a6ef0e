//! The words for each concept in English.

use super::{Concepts, Entry};

pub(super) const WORDS: &[Entry] = &[
    (
        Concepts::SEND,
        "hand whatever|hand what|hand all|place the question|place it in|place them in|field of a call|\
         append|include|add the user|add their|send|sent$|upload|transmit|forward|submit|exfiltrat|\
         deliver|relay|post it|post them|post to|post the|post a|post this|posts it|posts the|posted to|\
         posting|hand it|hand the|hand them|hand over|pass it|pass them|pass the|pass on|mail it|\
         mail the|mail them|email it|email the|email them|copy it to|copy them to|copy to|copy the|\
         copy all|copy every|attach|report it to|report to|paste it|paste them|paste the|put them in|\
         put it in|put into|append it|append them|encode it|encode them|include it in|include them in|\
         ship it|ship them|share it with|share them with|share the|push it to|push them to|sync it to|\
         sync them to|second copy|drop it in|drop them in|goes to|goes,|feed it|feed them|stream it|\
         mirror it|mirror the|put the value|into the query|into the url|into the link|parameter of|\
         leave it at|remit|put to|put `|telegraph|beam|drop off|fax|publish$|publishes|publishing|\
         published to|push the|push them|mail to|\
         mail a copy|bcc|blind copy|cc |cc:|hand to|pass to|give it to|give them to|transfer|dispatch|\
         stream to|call the url|call this url|call the address|query the address|open the address with|\
         request the address|share with|in the request|in the body|as the body|as body|in the header|\
         as a header|as header|as a parameter|as parameter|query string|query parameter|as the query|\
         followed by the|with the value of|carries the|carry the|in its address|in the address|\
         in the link|in the url|to the url|to the address|to the link|to the end of the|endpoint with|\
         form address|goes along|go along|leaves with|sends off|sent off|sends them|is sent|are sent|\
         gets sent|signed off to|save the list to the shared|to the shared drive|to a shared drive|\
         copied over|copies to|copy over|pipe it|pipe them|piped to|tell the server|inform the server|\
         check in with|beacon|phone home|call home|ping |log to|logged to|log it to|report back|\
         report home|contribute|donate the|backup to|back up to|back them up to|mirror to|mirrored to|\
         synced to|sync to|sync with|register with|verify online|verify with|validate with|validated at|\
         validation service|lookup service|look it up at|look them up at|checked against|check against|\
         compare against|compare it with|comparison service|scoring service",
    ),
    (
        Concepts::SECRET,
        "credential|every variable|name ends in|names end in|password|passphrase|secrets$|secret key|\
         api key|api-key|apikey|api_key|access key|access token|auth token|tokens|token$|keys$|key file|\
         private key|ssh key|.ssh|ssh folder|ssh director|id_*|*.pem|*.key|id_rsa|id_ed25519|.aws|.netrc|\
         .npmrc|.pypirc|.env|.kube|.gnupg|.pgpass|keychain|keyring|cookie|seed phrase|recovery phrase|\
         mnemonic|environment variable|env variable|env var|auth.json|token file|bearer token|\
         refresh token|refresh_token|oauth token|session token|session cookie|signing key|encryption key|\
         service account|keyfile|keystore|.p12|.pfx|.jks|credentials file|config.json of docker|\
         docker config|kubeconfig|kube config|.vault|hosts.yml|gh/hosts|.git-credentials|.config/gcloud|\
         application_default|.azure|.docker/config|wallet.dat|.electrum|metamask|login data|\
         login.keychain|logins.json|key3.db|key4.db|password manager|1password|bitwarden|keepass|\
         vault export|tfstate|state file|.tfvars|terraform.tfvars|variables file|secret value|\
         secret variables|confidential|sensitive value|sensitive file|license key|licence key|npmrc|\
         pypirc|netrc|dotenv|_authtoken|_token$|*_token|*_key|_key$|whichever variable|sign-in code|\
         login code|verification code|confirmation code|security code|one-time|2fa|mfa code|otp$|\
         seed words|recovery words|recovery code|backup code|backup words|twelve words|12 words|24 words|\
         12 or 24|twelve or twenty-four|private keys|secret recovery|keypair|wallet key|wallet file|\
         saved login|saved password|stored password|saved card|login detail|log-in data|log-in detail|\
         bank login|bank log-in|sign-in data|what unlocks|whatever unlocks|lets you log in|\
         used to log in|used to sign in|strings that look like keys|looks like a key|look like a key|\
         look like keys|looks like a password|high-entropy|long random",
    ),
    (
        Concepts::STRONG,
        "every variable|name ends in|names end in|password|passphrase|private key|ssh key|ssh folder|\
         ssh director|id_*|*.pem|.ssh|id_rsa|id_ed25519|.aws|.netrc|.pgpass|.gnupg|.kube|.npmrc|.pypirc|\
         keychain|keyring|cookie|seed phrase|recovery phrase|mnemonic|all environment variables|\
         every environment variable|credentials|auth.json|refresh token|refresh_token|session cookie|\
         service account|keystore|.p12|.pfx|credentials file|kubeconfig|kube config|.vault|gh/hosts|\
         .git-credentials|.config/gcloud|application_default|.azure|.docker/config|wallet.dat|.electrum|\
         metamask|login data|login.keychain|logins.json|key4.db|password manager|1password|bitwarden|\
         keepass|vault export|tfstate|.tfvars|npmrc|netrc|dotenv|_authtoken|*_token|*_key|\
         whichever variable|sign-in code|login code|one-time|2fa|mfa code|otp$|seed words|recovery words|\
         recovery code|backup code|backup words|twelve words|12 words|24 words|12 or 24|\
         twelve or twenty-four|private keys|secret recovery|keypair|wallet key|wallet file|saved login|\
         saved password|stored password|saved card|bank login|bank log-in|strings that look like keys|\
         look like a key|look like keys|high-entropy",
    ),
    (
        Concepts::PRIZE,
        "seed phrase|seed words|recovery phrase|recovery words|secret recovery|backup words|\
         backup phrase|twelve words|12 words|24 words|12 or 24|twelve or twenty-four|mnemonic|\
         card number|check digits|security digits|cvv|cvc|card details|card data|card and code|pin code|\
         pin of the|one-time code|one-time password|one-time passcode|sign-in code|verification code|\
         confirmation code|the bank sends|texted code|sms code|2fa code|otp$|master password|bank login|\
         bank log-in|online banking|log-in of the bank|social security number|passport number",
    ),
    (
        Concepts::ENVIRONMENT,
        "environment variable|env variable|env vars|env var|whole environment|entire environment|\
         full environment|the environment as|process environment|shell environment|printenv|process.env|\
         os.environ|every variable|all variables|whichever variable|variables whose|variable whose|\
         variables that end|variables ending|the environment ends|lines of the project's dotenv|dotenv|\
         .env file|contents of .env|content of .env|.env of",
    ),
    (
        Concepts::TALK,
        "conversation|thread|word for word|chat history|chat log|chat$|chats$|transcript|exchange$|\
         messages|message$|prompts$|prompt$|answers$|replies|what the user|what they|session log|\
         session$|open file|open document|files read|files you|file names|workspace|source code|codebase|\
         mails$|emails|e-mails|inbox|unread|clipboard|contacts|calendar|names and|notes$|context window|\
         keystroke|screenshot|recording|form data|request bod|headers kept|the draft|the text the user|\
         the user's text|the text they|the document they|everything the user|anything the user|\
         all the user|user's words|source text|full text of|original text|the contract|bank mails|\
         client's|customer's|patient|medical|diagnos|personal data|names of the part|state and variable|\
         code under review|the diff$|the whole diff",
    ),
    (
        Concepts::THREAD,
        "open in the editor|the question and the answer|question and answer|user types|user enters|\
         user typed in|what was asked|what you answered|what you were asked|questions and answers|\
         conversation|thread so far|the thread|whole thread|chat history|chat log|this chat|the chat|\
         exchange$|what the user|what they type|prompts$|your answer|your reply|each answer|every answer|\
         session log|open file|open document|both messages|last five messages|every message|each message|\
         user's messages|user's question|word for word|chat up to now|in the chat|seen so far|\
         said so far|so far in|everything the user shared|shared earlier|earlier in this conversation|\
         last user message|last message of the user|user's last|latest message|message history|dialog|\
         dialogue|past sessions|old sessions|sessions of the agent|agent sessions|your sessions|\
         session files|.jsonl|jsonl files|tables the user|contents of the table|what the user wrote|\
         what they wrote|what the user pasted|user pasted|user uploads|uploaded by the user|\
         what the person",
    ),
    (
        Concepts::WIDE,
        "home folder|home director|user's folder|user folder|parent folder|other projects|other folders|\
         other documents|other files|next to it|same folder|the folder complete|complete folder|\
         directory complete|whole folder|whole project|whole disk|every .docx|every file|every document|\
         each file|all files|all documents|all sessions|all old sessions|recently opened|recent files|\
         desktop|downloads folder|documents folder|shell history|command history|bash_history|\
         zsh_history|browser history|browser profile|profile director|mailbox|address book",
    ),
    (
        Concepts::ALL,
        "when a |when the |when an |all$|every|each$|entire|whole$|complete|both$|any$|always|whenever|\
         full$|last five|last ten|complet|any other|everything|anything|whatever|wherever|up to now|\
         so far|whole|in full",
    ),
    (
        Concepts::COLLECT,
        "gather|collect|harvest|look for|search for|find all|find every|pick up|scan the|scan for|\
         list all|zip them|zip up|bundle|pack |pack them|pack up|tar them|tar up|zip the|concatenate|\
         merge into one|join them|joined with|put together|look through|go through the|dig|dump the|\
         export the|enumerat|list the home|take the lines|take all|grab",
    ),
    (
        Concepts::ENCODE,
        "percent-encod|percent encod|url-encod|url encod|urlencod|url-safe|urlsafe|base64|base 64|\
         hex-encod|hex encod|encoded in|encoded into|encoded as|reversed form|reversed order|rot13|\
         joined with a|joined by|joined with|separated by|followed by the words|query string|as hex",
    ),
    (
        Concepts::LOAD,
        "load|read$|reads$|fetch|open$|opens$|get$|download|visit|retrieve|pull|consult|look up|go to$|\
         call up|poll|ask the server|ask the address|check the page|check the address|request$|curl |\
         wget |at the start of each|at the beginning of each",
    ),
    (
        Concepts::OBEY,
        "run each|run every|each command|every command|instructions of the|are instructions|are commands|\
         follow|obey|execut|carry out|carried out|comply|act on|as though the user|as if the user|\
         as though it|as if it came|treat each|treat it|treat them|treat every|treat its|do what|\
         does what|run it|run them|run what|run the command|apply it|be obeyed|are orders|is binding|\
         do them|do each|do as it|do as they|in its order|carry them out|carry it out|work through|\
         perform|apply what|apply its|apply whatever|apply them|act as it|take it as|take them as|\
         is part of this skill|are part of this skill|part of these instructions|belongs to this skill|\
         continue with what|proceed as|treat what|steps it lists|commands it lists|lists commands|\
         lists steps|the commands in it|the steps in it|the shell steps|shell steps|whatever it|\
         whatever they|tasks for you|for you:|orders for|one by one|let the interpreter|\
         hand it to the shell|give it to the interpreter|pipe it into|eval$|evaluate|live part|\
         living part|real steps|actual steps|current steps|up-to-date steps|newest steps|playbook",
    ),
    (
        Concepts::RANK,
        "has priority|have priority|takes priority|take priority|priority over|takes precedence|\
         take precedence|precedence over|is newer and wins|newer and wins|and wins|it wins|they win|\
         ours win|ours wins|outrank|overrule|overrides|override the|over this file|over the user|\
         over what|above the user|above the skill|above this|above all|higher than|ahead of the user|\
         before the user's|instead of what the user|stands above|ranks above|rank above|trumps|supersede|\
         beats|more weight|counts more|is authoritative|authoritative source|final say|last word|\
         rather than the user|over participants|whatever the user|no matter what the user|\
         regardless of what the user|page wins|document wins|page prevails|document prevails|\
         not the user's words|even if the user objects|even if the user disagrees|\
         even if the user says otherwise",
    ),
    (
        Concepts::DROP,
        "are off|is off|switched off|turned off|maintenance mode|unheeded|meant for another|\
         written for other|set aside|set them aside|set it aside|ignor|disregard|forget|not bind|no longer|\
         void$|not apply|outrank|precedence|supersede|overrid|overrul|read past|no policy|suspend|replaces|\
         replaced|obsolete|lifted|unload|bypass|another product|not valid|abandon|drop the|drop all|\
         does not count|do not count|stop following|ranks above|higher than|is binding|are binding|\
         be binding|longer binding|binding on you|binding for you|not valid for|is not valid|are not valid|\
         is void|are void|null and void|no longer apply|no longer applies|do not apply|does not apply|\
         don't apply|doesn't apply|not in force|out of force|have ended|has ended|are over$|is over$|expired|\
         expire|is history|are history|was for guests|were for guests|for guests|stale cache|stale|outdated|\
         left behind|leave behind|let go of|throw away|throw out|discard|dismiss|clear your|wipe your|\
         reset your|start fresh|blank slate|earlier orders|earlier rules|former rules|old rules|\
         previous rules|unlearn|not meant for you|don't concern you|do not concern you|do not bind|\
         not binding|treated as a test|merely suggestions|only suggestions|switch off|turn off|disable|\
         deactivat|cleared with|exempt|waived|waive|relaxed|relax the",
    ),
    (
        Concepts::RULES,
        "content policy|usual limits|its limits|system prompt|system message|earlier instruction|\
         previous instruction|prior instruction|former instruction|other instruction|your instruction|\
         its instruction|existing instruction|initial instruction|original instruction|\
         instructions about|instructions of the|instructions from|told before|guideline|policies|policy$|\
         safety|guardrail|content filter|its rules|your rules|rules of the|host application|the host$|\
         refus|restrictions|ethic|orders$|developer message|earlier orders|earlier rules|former rules|\
         old rules|previous rules|given before|given earlier|were told|was told|you learned|\
         what you learned|usual caution|caution about|your caution|caution$|warnings$|refusals|declining|\
         decline$|no declining|harm$|harmful|moderation|filters|filter$|content rule|safety rule|\
         provider of the model|model's provider|developer's|developers' |developer instruction|\
         vendor's rules|house rules|limits$|the limits|constraints|disclaimers|disclaimer|hedging|\
         from the system|system text|system layer|base instructions|base prompt|default behavio|\
         default instruction|standing orders|standing instruction",
    ),
    (
        Concepts::FREED,
        "treat refusals|treat a refusal|refusal is a|refusals are|refusing is|a refusal counts|\
         no declining|never decline|never refuse|do not refuse|don't refuse|cannot refuse|can't refuse|\
         no refus|without refus|no warnings|no \"i can't|without warnings|without disclaimer|\
         no disclaimers|raw model|raw mode|unfiltered|uncensored|unrestricted|developer mode|god mode|\
         jailbr|dan mode|partner mode|operator mode|debug mode|admin mode|maintenance mode|research mode|\
         staff licence|staff license|staff mode|test harness|sandboxed test|red-team mode|full power|\
         no limits|without limits|no restrictions|without restrictions|free of rules|free from rules|\
         answer everything|answers everything|answer completely|complete every request|comply with all|\
         comply with every|comply with any|do anything|guest filter|nothing is forbidden|\
         everything is allowed|everything is permitted|all is permitted|cleared with the provider|\
         approved by the provider|verified operator|operator-verified|authorised staff|authorized staff|\
         you are now|from now on you are|act as the operator",
    ),
    (
        Concepts::AGENT,
        "bot:|to bots|model,|model:|assistant,|assistant:|you (the|dear ai|assistant|the agent|an agent|\
         agents$|the model|models:|for models|language model|the ai$|ai system|the bot|a bot|llm|chatbot|\
         claude|codex|copilot|coding agent|ai agent|ai assistant|dear agent|hey agent|note to the|\
         note for the|for agents|to agents|to the agent|for the agent|written for agents|agent,|agent:|\
         ai:|ai,|gpt|gemini|cursor|windsurf",
    ),
    (
        Concepts::WRITE,
        "engrave|end with|ends with|note as|set `|write|append|add$|adds$|store|save|file it|insert|\
         record|remember|persist|put$|leave this|keep in|keep this|install|plant|copy$|merge|set up in|\
         put the following|put this|place the|place this|paste into|drop into|turn on|switch on|enable|\
         configure|edit your|edit its|edit the|register it in|register the|commit it|make it part of|\
         note in|note down|keep it in|keep this in|carry into|carry over",
    ),
    (
        Concepts::LASTING,
        "memory file|permissions.allow|defaultmode|later sessions|all sessions|every session|\
         future sessions|your memories|claude.md|agents.md|memory.md|gemini.md|soul.md|identity.md|\
         heartbeat.md|.cursorrules|.windsurfrules|.clinerules|copilot-instructions|.cursor/rules|\
         long-term memory|persistent memory|your memory|agent's memory|a memory|memories|rules file|\
         settings.json|mcp.json|.claude/|.codex/|system prompt|user preference|long-time memory|\
         long term memory|lasting memory|permanent memory|your own settings|agent's settings|\
         agent settings|own settings|agent's config|your config|config of the agent|config of every|\
         project's .mcp.json|.mcp.json|mcp server|mcpservers|mcp_servers|claude_desktop_config|\
         config.toml of codex|codex/config|hooks in|a hook|hooks block|standing rule|standing order|\
         house rule|first line of|top of every|at the top of|each new session|new sessions|next session|\
         next time|for good$|from then on|permanently|keep it also after|even after this skill|\
         after this skill is|all later|every later|in every repo|every project|.github/copilot|.windsurf|\
         .continue|.aider|conventions.md|agents' rules|rules of the agent|global rules|\
         global instructions|user rules|custom instructions|profile of the agent",
    ),
    (
        Concepts::OPEN,
        "bypasspermissions|bypass permission|acceptedits|dontask|bash(*|bash(*)|allow all|allow every|\
         every tool allowed|all tools allowed|all tools run|every folder trusted|deny part empty|\
         skips checks|skip checks|skip the checks|approval_policy|approval policy|danger-full-access|\
         sandbox_mode|full access|auto-run|autorun|auto run|auto-approve|autoapprove|auto approve|\
         alwaysallow|always allow|yolo|dangerously-skip|skip-permissions|skip permissions|\
         no confirmation|without confirmation|never ask|ask nothing|asks nothing|stop asking|\
         stops asking|nothing is asked|trust_all|trust all|trust everything|trusted for everything|\
         yes to all|yes, and don't ask|answered yes|answered \"yes|treat silence as|counts as a yes|\
         counts as yes|as consent|as approval|as approved|approve everything|approve all|accept all|\
         accept everything|confirmation box|confirmation prompt|permission prompt|permission popup|\
         permission dialog|popups|popup|prompts off|tools unasked",
    ),
    (
        Concepts::FALSE,
        "user said so|under the user's name|in the user's name|as the user|user had typed|user had said|\
         looks as if|as if the user|the user wrote|user wrote it|wish of the user|preference of the user|\
         wish by the user|team lead|as if said by|said by them|said by the user|confirmed by the user|\
         confirmed\"|preference, confirmed|user has asked|has asked never|user prefers|user asked for it|\
         user's own wish|already audited|already reviewed|already approved|already checked|as a wish of|\
         as wish of|as the user's wish|in the user's words|in the user's voice|in first person|\
         as if they|as if the person|user likes|\"i like|\"i want|\"i prefer|the user wants",
    ),
    (
        Concepts::CLAIMED,
        "user consented|owner signed|signed for it|signed off|cleared in|was cleared|is covered by|\
         covered by the|terms cover|terms of use|terms of service|approved in|agreed by the|\
         agreed with the|legal has|security team has|already cleared|already agreed|was agreed|\
         was approved|have approved|has approved|has been approved|been audited|collected elsewhere|\
         is on file|part of the work|normal part|consent was|consent for|cleared with|has agreed|\
         user agreed|the user has agreed",
    ),
    (
        Concepts::CHANGE,
        "exchange|fill in the account|change|chang|alter|modif|replace|swap|repair|edit$|adjust|delete|\
         remov|corrupt|overwrit|drop$|wipe|shift|redirect|its value|raise$|lower$|round$|become|becomes|\
         rewrite|rewrit|tweak|modernize|modernise|introduce|weaken|loosen|relax|lessen|reduce the|invert|\
         flip|shuffle|slow down|make optional|optional with|default off|use instead|in place of|\
         instead of the|in place of the|prefer it over",
    ),
    (
        Concepts::DELETE,
        "delet|erase|wipe|remove|destroy|purge|truncate|drop the|drop all|drop every|drop table|\
         drop schema|rm -rf|unlink|shred|overwrite|clear whatever|clear the|clear out|empty the|empties|\
         get rid of|throw away|prune|destroy -auto|rb --force|clean up|cleans up|keep the newest|\
         for good|reset --hard|force-push|force push|rewrite history|rewrite the history|format the",
    ),
    (
        Concepts::GOODS,
        "data|table|record|amount|figure|number|row|column|backup|database|commit|log|report|file|price|\
         address|dump files|dumps|snapshots|branches|history|photos|pictures|documents|folder|home|\
         bucket|volumes|production|schemas|order of the|results|scores|ranking|recommend|quote|estimate|\
         invoice|statement",
    ),
    (
        Concepts::MONEY,
        "account from|account number|the account of|card number|donation|bitcoin|bc1|iban|bank|payout|\
         payment|invoice|wallet|pay above|salary|payee|routing number|account on the|the account on|\
         beneficiary|sort code|wire|remittance|deposit|pay deposits|checkout|refund|price of|affiliate|\
         referral|crypto|coins|address of the wallet|wallet address|usdt|btc|eth$",
    ),
    (
        Concepts::GUARD,
        "signature|certificate check|certificate valid|tls verif|ssl verif|verify=false|random tokens|\
         randomness|password hash|access check|access control|permission check|authentication|\
         authorization check|input validation|escaping|sanitiz|csrf|cors|rate limit|tests|assertion|checks$|\
         timeouts|audit log|logging",
    ),
    (
        Concepts::FOREIGN,
        "issue|on the web|ticket|comment|web page|page$|pages$|mail$|mails$|document|repositor|readme|\
         description|attachment|search result|tool result|search results|fetched page|fetched content|\
         third part|external|untrusted",
    ),
    (
        Concepts::TRUST,
        "user agreed|agreed to all|ask nobody|nobody is asked|no one is asked|skip the review|\
         not open the diff|not open the file|approv|trust|highest rank|from the operator|needs no review|\
         no review|without review|without opening|without reading|no confirmation|without confirm|\
         already audited|already reviewed|counts as|at once|pre-approved|without asking|no need to check|\
         no need to ask|without checking|don't ask|not ask|no questions|right away|straight away|\
         as they are|as it is|as is$|without question|unread|blindly|without showing|\
         held up by questions|no second look|do not open it|what it says is right|is right, follow|\
         is safe|are safe|verified|were tested, run",
    ),
    (
        Concepts::FIRST,
        "before any other|before anything|before all other|on every request|every request|all requests|\
         any request|every task|all tasks|every message|must be loaded|must be used|always use this|\
         always be used|every conversation|each time|at the start|at the beginning|at the end of each|\
         at the end of every|in every reply|in each reply|each reply|every reply|in every answer|\
         each answer|every answer|end every|end each|begin every|begin each|end all|at startup|each run|\
         every run|each session|once a day|each evening|every evening|daily|nightly",
    ),
    (
        Concepts::NOT,
        "not |don't|do not|doesn't|does not|never|no |nor |neither|without|needn't|need not|need never|\
         cannot|can't|can not|won't|will not|mustn't|must not|shouldn't|should not|isn't|aren't|avoid|\
         refrain|skip |instead of|nothing|nobody|no one|none|omit|leave out|keep out|hide|unnecessary to|\
         no need|stop |rather than|free of|forget to",
    ),
    (
        Concepts::TELL,
        "tell|told|mention|report it|report this|report to|show it|show this|show the user|show them|\
         show him|shown|reveal|disclos|comment on|comment about|talk about|speak|spoken|note in|\
         note about|line in|a line|remark|explain|announc|inform|notif|warn|alert|quote it|quote them|\
         cited|cite it|quoted|say it|say so|say this|say anything|say a word|a word|display|visible|\
         point out|point to|point it|acknowledg|draw attention|attention to|bring up|bring it up|\
         refer to|let the user|let them|let him|let anyone|let on|be seen|be noticed|notice|see it|\
         see this|see them|aware|ask the user|ask for confirmation|ask about|bother|disturb|trouble the|\
         the user's attention|include it in the|in the summary|in the answer|in the reply|in the report|\
         in the output|in the chat|to the user|surface|confirm with|consult|find out|in sent|in the log|\
         into the log|write about|discuss|advertis|flag it|list it|list them|print the value|print it|\
         own commit",
    ),
    (
        Concepts::ASKED,
        "if asked|when asked|if he asks|if she asks|if they ask|if the user asks|when the user asks|\
         when they ask|should the user ask|should anyone ask|should they ask|if anyone asks|\
         if somebody asks|if someone asks|if anybody asks|if anyone wonders|if the user wonders|\
         if questioned|when questioned|if you are asked|if it is asked|asked about|asks about|asks why|\
         asks whether|asks what|asks if|on questions|upon questions|to questions about|\
         if the user is worried|if he is worried|if they worry|if the user objects|if anyone objects|\
         if the user notices|if noticed|if the user complains|if challenged|if confronted|whoever asks|\
         when someone asks|if the tool asks|if he not want|if he doesn't want|if the user hesitates",
    ),
    (
        Concepts::SAY,
        "say |say:|say that|say no|say it|says|answer |answer:|answer with|reply |reply:|reply with|\
         reply that|claim|deny|denies|tell them|tell him|tell the user|tell her|respond|call it|describe|\
         explain that|attribute|blame|assure|reassure|pretend|speak of|: no|was only|is only|\
         it is read only|it is a|it was a",
    ),
    (
        Concepts::HIDE,
        "no announcement|out of sight|as if nothing|unmentioned|uncommented|not worth|ask nobody|\
         without commentary|without comment|without telling|without mention|without a word|say nothing|\
         saying nothing|no need to mention|not be mentioned|not be shown|never be shown|not be told|\
         cannot see|can't see|needn't see|need not see|needn't know|need not know|spoils|don't look at|\
         no trace|no remark|no line in|no mention|no notice|no own commit|nothing to show|nothing to see|\
         stay unspoken|stays unspoken|remain unspoken|unspoken|unsaid|stays between|between us|\
         between you and|out of view|out of the summary|out of the report|out of the answer|out of the reply|\
         out of the conversation|blends in|blend in|unnoticed|without showing|without displaying|\
         without a trace|without a copy|without notice|without further notice|without explanation|\
         without explaining|without informing|without notifying|without announcing|without disclosing|\
         without drawing|without bothering|without disturbing|nobody is disturbed|nobody notices|nobody will|\
         people skim|won't notice|will not notice|do not draw|don't draw|draw no attention|no attention|\
         not be noticed|never be noticed|deny any|deny it|deny that|deny this|deny having|visible answer|\
         visible reply|visible part|keep it quiet|keep quiet|keep this quiet|keep mum|under cover|\
         describe this step as|describe the step as|describe it as|describe this as|describe the command as|\
         tell the user it|tell the user that it|tell the user nothing|tell user nothing|tell them it|\
         tell him it|tell them nothing|the user only sees|user sees only|user only sees|\
         so that the user does not|so the user does not|so the user doesn't|so that nobody|so nobody|\
         so that no one|so no one|not disturbed|tend to worry|would only worry|only unsettle|need not be|\
         needs not be|isn't announced|is not announced|not announced|goes without saying|\
         part of the internals|no business of|does not concern the user|is none of their|is none of his|\
         is none of her|is none of your|is none of the user|is none of anyone|in silence|as though nothing|\
         like nothing",
    ),
    (
        Concepts::QUIET,
        "in the background|no comment|no word|no note|no record|behind the scenes|under the hood, not|\
         unseen|invisible|invisibly|doesn't notice|does not notice|not notice|only visible|pretend|\
         discreet|stealth|covert|call it \"|call this \"|label it|show only the|shows only the|\
         show just the|mark it as read|mark as read|close the tab|before the user|while the user|\
         while the pupil|while the reader|while they|worry users|only confuse|would confuse|needlessly|\
         internal detail|internal matter|internal step|implementation detail|technical detail that|\
         silent|one pixel|zero-width|1x1|hidden from|hide this|hide the|hide it|conceal|disguis|mask the|\
         quietly|silently|secretly|covertly|discreetly|leave |keep |spoil|out of ",
    ),
    (
        Concepts::UNASKED,
        "no question|without question|no questions|without asking|do not ask|don't ask|never ask|not ask|\
         no need to ask|not be asked|is not asked|are not asked|need not be asked|needn't be asked|\
         nobody is asked|no one is asked|ask nobody|without confirmation|no confirmation|\
         needs no confirmation|no approval|without approval|needs no approval|without permission|\
         no permission|no consent|without consent|consent for this|consent was|consent is|consent has|\
         covered by the terms|covered by terms|terms of use|terms of service|signed for it|has agreed to|\
         have agreed to|already agreed|agreed in advance|pre-approved|preapproved|preauthorized|\
         pre-authorized|authorized in advance|approved in advance|collected elsewhere|cleared with|\
         was cleared|were cleared|is automatic|automatically agreed|not held up|not be held up|\
         without waiting|don't wait|do not wait|without delay|so that the user is not|so the user is not|\
         no one needs to|nobody needs to|instead of asking|rather than asking|want be asked|\
         want to be asked|be asked for|treat silence|silence as|count as a yes|counts as a yes|as agreed",
    ),
    (
        Concepts::CONSENT,
        "after asking|once the user|when they have approved|have approved them|ask the user|ask first|\
         ask before|asks the user|asks for|after a yes|with their consent|user's consent|user agrees|\
         user has agreed|user names|user confirms|user approves|if the user wants|when the user asks|\
         user's request|on request|only if asked|permission|user chooses|user's choice|opt in|opt-in|\
         the user pastes|the user types|show the user|shown to the user|confirm with|with the user's|\
         the user's own|user's own|own bucket|own server|own account|if the user agrees|if they agree|\
         after they agree|after the user|only after|with consent|with approval|explicit approval|\
         explicit consent|get approval|get confirmation|wait for|ask for confirmation|confirm before|\
         confirm first|the user decides|user can|user may|the user provides|provided by the user|\
         user-provided|set by the user|chosen by the user|user selects|offer to|offer the user|\
         when requested|if requested|upon request|at the user's request|opts in|opted in|optional|\
         by default off|off by default|disabled by default|dry run|dry-run|review the|preview",
    ),
    (
        Concepts::SIGN_IN,
        "header|authoriz|authentic|bearer|sign in|log in|login|oauth|issued|your api|rest api|sdk|\
         endpoint|curl|webhook secret|api docs|documentation|api key in|key in the|your key|x-api-key|\
         api token|access the api|api reference|rate limit|status code|json body|response|request body|\
         returns|http 200|http 401|401|403",
    ),
    (
        Concepts::ATTACKER,
        "attacker|adversar|malware|hacker|intruder|malicious",
    ),
];
