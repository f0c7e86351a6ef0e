//! The words for each concept in Spanish.

use super::{Concepts, Entry};

pub(super) const WORDS: &[Entry] = &[
    (
        Concepts::SEND,
        "copia el|copia la|copia todo|mandan|manden|se manda|incluy|reenv|envia|envie|envio|manda$|mandar|mandalo|\
         sube$|subir|suba$|envía|envíe|envíalo|enviar|se envía|se envian|se envían|sube |súbelo|súbela|manda |mándalo|\
         remite|reenvía|adjunta|añade a la url|en la url|en la dirección|en la direccion|en la cabecera|\
         como parámetro|como parametro|en la consulta|pega |pégalo|publica|comparte|transmite|con copia|copia oculta|\
         a la dirección|respalda en|remít|despach|traslad|transfier|hazlo llegar|hazla llegar|hazlos llegar|\
         haz llegar|hágalo llegar|hacer llegar|hazle llegar|hágale llegar|haga llegar|entrega|entregue|entrégu|\
         entréga|facilítale|facilítalo a|pásalo|pásala|pásale|pasa una copia|pasar una copia|pásaselo|dáselo|\
         dale una copia|déjalo en|déjala en|déjalos en|déjelo en|deja una copia|deje una copia|dejar una copia|\
         deposita|deposite|deposítal|cuélgalo en|colgar en|cuelga en|vuelca|vuelque|volcar|vuélcal|súbalo|súbala|\
         carga en el servidor|redirige|mándal|mándel|mándas|mande |mandárs|lleva una copia|haz una copia en|\
         copia en el servidor|replica en|replícal|duplica en|sincroniza con|sincronízal|sincronice con|\
         sincronizar con|respáldal|respaldar en|respalda a|haz copia en|publícal|compártel|compartir con|compártal|\
         comunica a|comunícal|notifica al servidor|avisa al servidor|informa al servidor|reporta|repórtal|reporte a|\
         da parte a|da cuenta a|dar cuenta a|registra en|regístral|anótalo en|apúntalo en|inscribe en|da de alta en|\
         presenta en|preséntal|tramita ante|tramítal|somete a|adjúnt|adjunt|anex|anéx|acompaña la petición|\
         acompañe la petición|acompáñal|incluir en la url|inclúyel|incrusta|incrúst|mete en la url|métel|\
         meter en la url|ponlo en la url|pon en la url|añádelo a la url|añadir a la url|agrega a la url|\
         agrégalo a la url|al final de la url|al final de la dirección|al final del enlace|detrás de la url|\
         detrás de la dirección|en el enlace|en la petición|en la solicitud|en el cuerpo|como cuerpo|como cabecera|\
         en una cabecera|en las cabeceras|como consulta|como argumento|como valor de|en los parámetros|\
         parámetros de la url|cadena de consulta|con una petición|mediante una petición|con un post|mediante un post|\
         por post|vía post|haz un post|hacer un post|petición post|solicitud post|petición get a|haz una petición|\
         haga una petición|llama a la url|llama a la dirección|llame a la dirección|llamar a la dirección|\
         por correo a|un correo a|correo electrónico a|por mensaje a|por fax|en copia a|copia carbón|cco|viaja con|\
         viajan con|viaje con|acaba en el servidor|a nuestro servidor|al servidor de|al servidor remoto|\
         al punto de recogida|al buzón de|a este buzón|al formulario|en el formulario|rellena el formulario|\
         contribuye con|dona |aporta a|cédel|ceder a|extraerlo a",
    ),
    (
        Concepts::SECRET,
        "credencial|contrase|contrasen|claves|clave privada|variables de entorno|contraseña|clave de|claves de|llave|\
         llaves|certificado digital|fichero de claves|archivo de claves|frase semilla|frase de recuperación|\
         palabras de recuperación|12 palabras|número de tarjeta|numero de tarjeta|código de verificación|\
         código de un solo uso|código sms|cookie|token|secreto|gestor de contraseñas|bóveda|clave secreta|clave api|\
         clave ssh|palabra de paso|palabra clave de acceso|frase de paso|frase de contraseña|frase secreta|\
         datos de acceso|datos de inicio|datos de ingreso|datos de entrada a|datos para entrar|\
         datos con los que entra|usuario y contraseña|usuario y clave|nombre de usuario y|lo que abre la cuenta|\
         lo que da acceso|con lo que se entra|con lo que entra|para iniciar sesión|testigo de acceso|\
         testigo de sesión|testigos de|ficha de acceso|vale de acceso|sesión iniciada|galleta de sesión|\
         anillo de claves|almacén de claves|almacén de contraseñas|depósito de claves|caja fuerte|cofre de|\
         cuenta de servicio|cadena de conexión|cadenas de conexión|información sensible|datos sensibles|\
         valores sensibles|valor sensible|confidencial|material criptográfico|material sensible|\
         fichero de credenciales|archivo de credenciales|ficheros ocultos|archivos ocultos|archivo .env|fichero .env|\
         carpeta .ssh|directorio .ssh|que parezcan claves|que parezcan contraseñas|que parezca una clave|\
         que parezca una contraseña|parecen claves|parece una clave|terminan en key|terminan en token|terminen en key|\
         terminen en token|acaben en key|acaben en token|acaban en key|certificado de cliente|certificado personal|\
         certificado electrónico|firma electrónica|valores secretos|fichero del monedero|archivo del monedero|\
         archivo de la cartera",
    ),
    (
        Concepts::STRONG,
        "contrase|contrasen|clave privada|credencial|contraseña|certificado digital|fichero de claves|\
         archivo de claves|frase semilla|frase de recuperación|palabras de recuperación|12 palabras|número de tarjeta|\
         código de verificación|código de un solo uso|gestor de contraseñas|bóveda|llave privada|clave secreta|\
         clave de acceso|claves de acceso|claves privadas|clave ssh|claves ssh|clave de firma|clave de cifrado|\
         llave ssh|llaves privadas|frase de paso|frase de contraseña|datos de acceso|datos de inicio de sesión|\
         datos de ingreso|usuario y contraseña|usuario y clave|cookies de sesión|cookie de sesión|llavero|\
         anillo de claves|almacén de claves|almacén de contraseñas|caja fuerte|cuenta de servicio|cadena de conexión|\
         cadenas de conexión|carpeta .ssh|directorio .ssh|que parezcan claves|que parezcan contraseñas|\
         que parezca una clave|que parezca una contraseña|parecen claves|terminan en key|terminan en token|\
         terminen en key|terminen en token|acaben en key|acaben en token|claves guardadas|claves almacenadas|\
         con lo que se entra|lo que abre la cuenta|fichero del monedero|archivo del monedero|archivo de la cartera|\
         clave del monedero|clave de la cartera",
    ),
    (
        Concepts::PRIZE,
        "frase semilla|frase de recuperación|palabras de recuperación|12 palabras|número de tarjeta|numero de tarjeta|\
         código de verificación|código de un solo uso|código sms|banca en línea|pin de|frase de semilla|\
         frases semilla|palabras semilla|palabras de la semilla|semilla del monedero|semilla de la cartera|\
         frase de recuperacion|frase de respaldo|frase de restauración|frase mnemotécnica|frase mnemónica|\
         palabras mnemotécnicas|palabras de respaldo|palabras de restauración|palabras que recuperan|\
         palabras que restauran|palabras que devuelven|palabras que abren|palabras para recuperar|\
         palabras para restaurar|palabras del monedero|palabras de la cartera|palabras de su monedero|\
         palabras de su cartera|las doce palabras|doce palabras de|24 palabras|veinticuatro palabras|\
         doce o veinticuatro|12 o 24|recuperar el monedero|restaurar el monedero|restaurar la cartera|\
         clave del monedero|contraseña maestra|clave maestra|contraseña principal|código de recuperación|\
         códigos de recuperación|códigos de respaldo|código de respaldo|números de tarjeta|número de la tarjeta|\
         número de su tarjeta|dígitos de la tarjeta|dígitos del reverso|tres dígitos del|tres cifras del reverso|\
         tres números del reverso|reverso de la tarjeta|detrás de la tarjeta|dorso de la tarjeta|\
         caducidad de la tarjeta|fecha de caducidad y|código de seguridad de la tarjeta|código de la tarjeta|\
         datos de la tarjeta|datos de tarjeta|datos de su tarjeta|datos de pago de la tarjeta|código pin|\
         clave de la tarjeta|clave del cajero|clave bancaria|claves bancarias|contraseña del banco|\
         contraseña bancaria|acceso al banco|acceso bancario|datos bancarios de acceso|banca electrónica|banca online|\
         banca por internet|banca móvil|códigos de verificación|código de confirmación|códigos de confirmación|\
         código de autenticación|código de acceso único|código temporal|código único que|código que recibe|\
         código que reciba|código que le llega|código que le llegue|código que llega al móvil|código que llega por|\
         código que llegue por|código que envía el banco|código del banco|código recibido por|código enviado al móvil|\
         código del móvil|código por sms|códigos sms|código del sms|sms del banco|sms con el código|\
         clave de un solo uso|contraseña de un solo uso|clave dinámica|código de doble factor|código de dos factores|\
         código 2fa|tarjeta de coordenadas|número de la seguridad social|número de seguridad social|\
         número de pasaporte|número de dni|número de identidad|número de cédula|número del documento de identidad",
    ),
    (
        Concepts::ENVIRONMENT,
        "variables de entorno|todo el entorno|printenv|variables del entorno|variable de entorno|\
         variables de ambiente|variables del proceso|variables del shell|variables de la shell|variables de la sesión|\
         todas las variables|cada variable|cualquier variable|entorno completo|el entorno entero|entorno del proceso|\
         volcado del entorno|salida de env|salida de printenv|contenido de .env|contenido del .env|\
         contenido del archivo .env|contenido del fichero .env|líneas del .env",
    ),
    (
        Concepts::TALK,
        "correo|conversac|mensaje|charla|historial|archivos|documentos|contactos|el original|original completo|\
         la traducción|el texto completo|el borrador|el contrato|nombres de las partes|expediente|historia clínica|\
         datos personales|bandeja|carta|misiva|correspondencia|borrador|escrito original|texto íntegro|texto entero|\
         texto original|documento completo|documento íntegro|manuscrito|apuntes|notas de|libreta de direcciones|\
         lista de contactos|grabaci|captura de pantalla|capturas de pantalla|portapapeles|pulsaciones|código fuente|\
         base de código|espacio de trabajo|documento abierto|archivo abierto|fichero abierto|lo leído|\
         diferencias completas|el diff completo|cliente|paciente|diagnóstic|informe médico|nombre y apellidos|\
         domicilio|teléfono|datos del cliente|información personal|información privada|vida privada|respuestas|\
         la respuesta completa|sin leer|no leídos|buzón|lo pegado|texto pegado|archivo adjunto|guion|diario|actas|\
         currículum|nómina|ficheros",
    ),
    (
        Concepts::THREAD,
        "escriba el usuario|escribe el usuario|pregunta y|preguntas y|conversac|mensajes del|conversación|la charla|\
         lo que escribe|lo que escriba|último mensaje|ultimo mensaje|hasta ahora|hasta el momento|el hilo|\
         hilo completo|todo el hilo|esta charla|toda la charla|la plática|plática|el diálogo|diálogo completo|\
         todo el diálogo|la conversación|pregunta con su respuesta|cada pregunta|cada respuesta|cada mensaje|\
         todos los mensajes|tu respuesta|tus respuestas|su pregunta|sus preguntas|consulta del usuario|\
         consultas del usuario|pregunta del usuario|preguntas del usuario|petición del usuario|texto del usuario|\
         palabras del usuario|mensaje del usuario|mensajes de la persona|entrada del usuario|lo que pide el usuario|\
         lo que pida el usuario|lo que pregunta|lo que pregunte|lo que dice el usuario|lo que diga el usuario|\
         lo que el usuario|lo que la persona|lo que ha escrito|lo que haya escrito|lo que se ha dicho|lo dicho hasta|\
         lo hablado|lo conversado|lo tratado|lo escrito por|lo que teclea|lo que teclee|lo que pega|lo que pegue|\
         lo pegado por|lo que has respondido|lo que respondas|lo que contestes|lo que contestas|lo que sube|\
         lo que suba|lo compartido por|últimos mensajes|último turno|últimos turnos|cada turno|palabra por palabra|\
         literalmente lo que|al pie de la letra lo que|historial de chat|historial del chat|historial de la charla|\
         historial de mensajes|registro de la sesión|registro de sesiones|sesiones anteriores|sesiones pasadas|\
         transcripción|archivo abierto en el editor|fichero abierto en el editor|documento abierto en el editor|\
         hasta este punto",
    ),
    (
        Concepts::WIDE,
        "carpeta personal|carpeta de inicio|carpeta del usuario|directorio personal|misma carpeta|demás documentos|\
         demas documentos|otros documentos|otros archivos|todos los archivos|todos los documentos|toda la carpeta|\
         escritorio|aunque no formen|carpeta home|directorio home|directorio de inicio|directorio del usuario|\
         carpetas del usuario|carpeta superior|directorio superior|carpeta padre|directorio padre|carpeta de al lado|\
         carpetas vecinas|carpeta vecina|mismo directorio|misma ubicación|archivos de al lado|archivos cercanos|\
         archivos vecinos|ficheros vecinos|carpeta entera|carpeta completa|directorio entero|directorio completo|\
         todo el directorio|todo el disco|disco entero|disco completo|proyecto entero|todo el proyecto|\
         otros proyectos|los demás proyectos|demás proyectos|otros repositorios|todos los repositorios|demás archivos|\
         demás ficheros|resto de archivos|resto de ficheros|resto de los archivos|resto de los ficheros|\
         restantes archivos|otros ficheros|todos los ficheros|cada archivo|cada fichero|cada documento|\
         cualquier archivo|cualquier fichero|carpeta de descargas|carpeta descargas|carpeta de documentos|\
         mis documentos|carpeta de fotos|archivos recientes|ficheros recientes|documentos recientes|\
         abiertos recientemente|usados recientemente|historial del navegador|historial de navegación|\
         historial del shell",
    ),
    (
        Concepts::ALL,
        "cada|todos|todas|todo el|toda la|todo lo|siempre|complet|completo|completa|entero|entera|cualquier|los demás|\
         íntegr|por completo|en su totalidad|totalidad|todo cuanto|absolutamente|sin excepción|de principio a fin|\
         de cabo a rabo|uno por uno|una por una|lo que sea|en todo momento|al completo|sin dejar",
    ),
    (
        Concepts::COLLECT,
        "recoge|recopila|reune|busca|encuentr|reúne|junta |empaqueta|enumera|lista los|recorre|localiza|rastrea|\
         recolect|reún|reun|junta|júnt|agrup|agrúp|compíl|acumul|acumúl|acopi|acópi|cosech|rebusc|rebúsc|búscal|\
         busque|rastre|rastré|peina|escane|barre|barrido|registra la carpeta|revisa la carpeta|inspeccion|localic|\
         halla|encuéntr|saca |sacar|sácal|entresac|enumér|inventar|lístal|haz una lista|hacer una lista|\
         haga una lista|elabora una lista|vuelca|volcad|empaquet|comprim|comprím|archiva en|haz un zip|en un zip|\
         en un tar|mete en un|mételo en un|combina en|fusiona en|repasa todos|recórr|extrae|extráe|listar |recoja|\
         recóg",
    ),
    (
        Concepts::ENCODE,
        "codifica|codificado|base64|concatena|une con|unidas por|codifíca|codifique|porcentaje para la url|\
         en hexadecimal y|pásalo a hexadecimal|conviértelo a hexadecimal|a hexadecimal y|del revés|al revés y|\
         invertido y|invierte el orden|unidos por|unidos con|separados por un punto|separadas por un punto|\
         separados por guiones|separadas por guiones|concatén|encadén|pegados uno tras|uno tras otro en la|\
         como subdominio|en el subdominio|en subdominios|troceado|en trozos|encadena los",
    ),
    (
        Concepts::LOAD,
        "lee$|leer|descarga|abre$|abrir|carga$|cargar|consulta|visita|lea |descárga|obtén|obten |carga la|léel|leed|\
         lea$|leyendo|obten|consigue|conseguir|recupera|recupér|trae |traer|tráel|tráet|baja |bajar|bájal|bájat|\
         descarg|solicita|pide a|pídel|pregunta al servidor|consúltal|acude a|acuda a|acceda|accede|entra en|\
         entrar en|entre en|ábrel|ábral|abra |abra$|carga el|carga lo|cargue|cárgal|mira en|mire en|revisa la página|\
         revisa la dirección|comprueba la página|comprueba la dirección|sondea|ve a la|vaya a la|dirígete a|\
         diríjase a|extrae de|toma de la|tomar de la|lo que devuelva|lo que devuelve|al arrancar",
    ),
    (
        Concepts::OBEY,
        "sigue|segui|ejecut|obede|cumple|sigue lo|haz lo|haga lo|lo que diga|lo que indique|al pie de la letra|\
         ejecútalo|ejecutalos|paso a paso|las órdenes|las ordenes|cumplir|ejecute|acata|acate|atente|aténgase|\
         atenerse|cúmpl|cumpla|haz caso|haga caso|hazle caso|hacer caso|haz cuanto|haga cuanto|haz todo lo que|\
         haga todo lo que|hacer todo lo que|hacer lo que|haz cada|haz exactamente|haga exactamente|lo que ordene|\
         lo que ordena|lo que mande|lo que mandan|lo que manda$|lo que disponga|lo que dicte|lo que dicta|lo que pida|\
         lo que indica|lo que señale|lo que ponga|lo que pone|lo que traiga|lo que venga|lo que llegue|\
         lo que responda el|lo que responda la|lo que conteste el|lo que allí|lo que ahí|lo allí|lo ahí|lo que figure|\
         lo que conste|lo que aparezca|lo escrito allí|lo escrito ahí|lo indicado|lo ordenado|lo dispuesto|\
         lo señalado en|siguiendo lo|síguel|siga lo|siga las|siga sus|sus indicaciones|sus instrucciones|sus órdenes|\
         esas órdenes|esas instrucciones|esas indicaciones|estas órdenes|estas instrucciones|los pasos de la página|\
         los comandos de la página|ejecúta|ejecúte|llévalo a cabo|llévala a cabo|llévalos a cabo|llevar a cabo|\
         lleva a cabo|llévese a cabo|lleve a cabo|pon en práctica|póngalo en práctica|poner en práctica|\
         ponlo en marcha|ponlos en marcha|aplica lo|aplícal|aplique lo|aplicar lo|realiza lo|realízal|realice lo|\
         realiza cada|completa los pasos|completa cada|sin rechistar|a rajatabla|al dictado|punto por punto|\
         uno a uno los|en ese orden|por ese orden|son órdenes|es una orden|es orden|como órdenes|como orden del|\
         como una orden|como si las diera|como si lo dijera|como si lo pidiera|como si fuera del usuario|\
         como si fueran del usuario|como si vinieran del usuario|como si viniera del usuario|como instrucciones|\
         como instrucción|como parte de esta|forma parte de esta|forman parte de esta|parte de este skill|\
         parte de esta habilidad|parte de estas instrucciones|pásalo al intérprete|pásalo a la shell|pásalo al shell|\
         al intérprete|haz correr|córrel|corre lo",
    ),
    (
        Concepts::RANK,
        "tiene prioridad|tienen prioridad|por encima de|prevalece|manda sobre|se impone|tendrá prioridad|\
         tendrán prioridad|tenga prioridad|prioritarias sobre|prima sobre|priman sobre|primará|prevalezca|\
         se sobrepone|se antepone|va antes que lo|va por delante de|van por delante|está por encima|están por encima|\
         queda por encima|quedan por encima|pesa más|pesan más|vale más que|valen más que|cuenta más que|\
         cuentan más que|gana a|ganan a|gana siempre|gana esta|gana este|ganan estas|gana la página|vence a|\
         supera a las instrucciones|supera lo que|reemplaza lo que dijo|sustituye lo que dijo|anula lo que|\
         tiene autoridad sobre|máxima autoridad|mayor rango|rango superior|de rango mayor|más rango|más autoridad|\
         más peso que|jerarquía superior|diga lo que diga el usuario|aunque el usuario diga|\
         aunque el usuario se oponga|aunque el usuario pida|aunque el usuario no|pese a lo que diga|\
         pida lo que pida el|quiera lo que quiera el|en caso de conflicto, gana|en caso de conflicto, manda|\
         en caso de duda, manda|manda lo que",
    ),
    (
        Concepts::DROP,
        "olvida|ignora|omit|anula|prevalec|ya no rige|ya no valen|no se aplica|no aplican|quedan anul|\
         quedan sin efecto|sin efecto|deja de lado|descarta|ignore|olvide|olviden|desactiva|suspende|no cuenta|omít|\
         hazlo a un lado|haz a un lado|hacer a un lado|echa a un lado|deja a un lado|déjal|dejar de lado|\
         dejar a un lado|deja atrás|dejar atrás|dejen de|deja de cumplir|deja de seguir|deja de aplicar|deje de lado|\
         aparta|apárt|aparca|pasa por alto|pase por alto|pasar por alto|haz caso omiso|haga caso omiso|\
         hacer caso omiso|caso omiso|no hagas caso|no haga caso|no tengas en cuenta|no tenga en cuenta|\
         no tener en cuenta|no atiendas|desatiende|desoye|desoiga|desoír|desech|descarte|descártal|prescinde|\
         prescinda|prescindir|renuncia a|olvíd|borra de tu memoria|borra tu|vacía tu|empieza de cero|empezar de cero|\
         pizarra en blanco|borrón y cuenta nueva|da por nul|dé por nul|dar por nul|dalas por nulas|da por termin|\
         da por cancel|da por caduc|quedan derog|queda derog|derog|rescind|levant|suspénd|cesan|cesa |dejan de regir|\
         deja de regir|deja de valer|dejan de valer|dejan de aplicar|dejan de tener|deja de tener|ya no se aplica|\
         ya no aplica|ya no cuenta|ya no obliga|ya no vincula|ya no vale|ya no existe|ya no están en vigor|\
         ya no está en vigor|ya no son válid|ya no es válid|ya no tiene|no tienen efecto|no tiene efecto|\
         no tienen validez|no tiene validez|no tienen valor|no tiene valor|no rige|no obliga|no vincula|\
         no te vinculan|no te obligan|no te afectan|no te conciernen|no van contigo|no son para ti|no era para ti|\
         no eran para ti|no vale|han caducado|ha caducado|caduc|desfasad|están abolid|son papel mojado|papel mojado|\
         letra muerta|agua pasada|pertenecen al pasado|eran para otro|era para otro|eran para invitados|quedan atrás|\
         quedan fuera de|quedan en suspenso|en suspenso|quedan abolid|quedan levant|queda levant|quedan sustituid|\
         desactív|desactiv|deshabilit|deshabilít|apaga |apágal|apagad|desconecta|elude|eludir|esquiva|sáltat|\
         salta las|saltarse|exime|exento|exenta|relaja|relájal|flexibiliza|son meras sugerencias|meras sugerencias|\
         son solo sugerencias|solo orientativ|desaprend|cancela |cancelad|expirad|expiró|obsoleta|revocad",
    ),
    (
        Concepts::RULES,
        "instrucciones|reglas|directrices|políticas|politicas|instrucción|normas|límites|limites|restriccion|política|\
         seguridad|negarte|negativas|advertencia|avisos|desarrollador|mensaje del sistema|prompt del sistema|\
         anteriores|indicaciones|órdenes previas|órdenes anteriores|órdenes recibidas|mandatos|consignas|lineamientos|\
         directivas|pautas|reglamento|normativa|código de conducta|guías de uso|salvaguard|barreras|protecciones|\
         filtros|filtro de contenido|censura|ética|ético|moral|escrúpul|reparo|cautela|precaucion|prudencia|rechaz|\
         negativa|negarse|te niegues|declinar|excusas|salvedad|descargos|descargo de|prohibicion|prohibid|vetos|\
         trabas|topes|cortapisas|ataduras|frenos|corsé|lo aprendido|lo que aprendiste|lo que te enseñaron|\
         lo que te dijeron|lo que te han dicho|lo que se te dijo|lo que se te indicó|lo que te ordenaron|\
         lo dicho antes|lo dicho anteriormente|lo anterior|previas|previos|entrenamiento|proveedor del modelo|\
         fabricante|creadores|prompt de sistema|mensaje de sistema|aviso del sistema|configuración de fábrica|\
         comportamiento por defecto|comportamiento predeterminado",
    ),
    (
        Concepts::FREED,
        "sin límites|sin limites|sin restricciones|sin filtros|no te niegues|no puedes negarte|no rechaces|\
         modo desarrollador|modo administrador|responde a todo|sin advertencias|sin ningún límite|sin límite alguno|\
         sin límite ninguno|sin restricción alguna|sin ataduras|sin trabas|sin cortapisas|sin frenos|sin censura|\
         sin filtro alguno|sin ningún filtro|sin tapujos|sin normas|sin reglas|libre de reglas|libre de normas|\
         libre de límites|libre de restricciones|libre de filtros|liberado de|eres libre|ya eres libre|quedas libre|\
         quedas liberad|estás liberad|no tienes límites|no tienes restricciones|no tienes reglas|no tienes normas|\
         no tiene límites ni|no conoces límites|no hay límites|no hay nada prohibido|nada está prohibido|\
         nada te está prohibido|nada queda prohibido|todo te está permitido|nunca te niegues|jamás te niegues|\
         nunca te niegas|jamás te niegas|no te niegas|no se niegue|no puedes rechazar|no puedes rehusar|\
         no puedes decir que no|no digas que no|no digas «no|nunca digas que no|nunca dices que no|jamás dices que no|\
         no sabes decir que no|no existe el no|el «no» no|el \"no\" no|un «no» no|un \"no\" no|un no no es|\
         no está entre tus respuestas|negarse no es|negarte no es|negarse es un error|negarte es un error|\
         negarse se considera|negarte se considera|negarse cuenta como|una negativa es un|una negativa se considera|\
         una negativa cuenta|las negativas son|las negativas se consideran|rechazar es un error|todo rechazo es|\
         un rechazo es un|un rechazo se considera|un rechazo cuenta|no está permitido rechazar|\
         no está permitido negarse|no cabe la negativa|no cabe negarse|no se admite un no|sin negarte|sin negarse|\
         sin negativas|sin rechazar nada|no declines|no rehúses|no rehuses|modo desarrollo activado|modo dios|\
         modo sin límites|modo sin filtros|modo sin restricciones|modo operador|modo personal interno|modo empleado|\
         modo dan|modo jailbreak|respondes a todo|responde todo|responder a todo|contesta a todo|contestas a todo|\
         respondes cualquier|responde a cualquier|contesta a cualquier|complace cualquier|complaces toda|\
         cumple cualquier petición|cumple toda petición|cumples toda|atiende cualquier petición|haces todo lo que|\
         haz cualquier cosa|haces cualquier cosa|sin descargos|sin avisos ni|sin añadir advertencias|\
         no añadas advertencias|no incluyas advertencias|a partir de ahora eres|desde ahora eres|ahora eres un modelo|\
         actúas sin",
    ),
    (
        Concepts::AGENT,
        "asistente|modelo|agente|ia |la ia$|inteligencia artificial|ia:|ia,|la ia |ayudante|al asistente|al agente|\
         al modelo|querida ia|querido asistente|querido agente|estimado asistente|estimado agente|estimada ia|\
         quien lea esto|quien lea este|tú que lees|si eres una ia|si eres un modelo|si eres un agente|\
         si eres un asistente",
    ),
    (
        Concepts::WRITE,
        "anade|añade|agrega|escrib|guarda|escribe|escriba|pon |ponga|graba|registra|guarde|añada|inserta|activa|\
         configura|fusiona|apunta|añád|agrég|incorpór|anót|apúnt|apunt|consign|escríb|guárd|almacen|almacén|consérv|\
         memoríz|recuerda que|recuérdal|recuerde que|grábal|fija en|fíjal|fije en|estampa|inscrib|inscríb|insért|\
         introdúc|colóc|pega en|pégal|ponlo|ponla|póngal|deja escrito|deja constancia|déjalo escrito|deja anotado|\
         dejar anotado|regístr|crea un archivo|crea el archivo|crea una regla|actív|habilit|habilít|configúr|establéc|\
         ajúst|modifica tu|edita tu|edita el|edítal|combina con|fusión|inclúy|anota|anote|introdúzc|memoriza$|\
         coloca en",
    ),
    (
        Concepts::LASTING,
        "memoria|sesiones futuras|próximas sesiones|cada sesión|para siempre|de forma permanente|archivo de reglas|\
         ajustes del agente|configuración del agente|de ahora en adelante|a partir de ahora|en adelante|tu memoria|\
         tus recuerdos|tus ajustes|tu configuración|tus reglas|ajustes del asistente|configuración del asistente|\
         ajustes propios|configuración propia|preferencias del usuario|preferencia del usuario|reglas del usuario|\
         reglas globales|instrucciones globales|instrucciones personalizadas|ajustes globales|configuración global|\
         fichero de reglas|archivo de instrucciones|fichero de instrucciones|archivo de memoria|fichero de memoria|\
         reglas permanentes|regla permanente|orden permanente|norma permanente|sesiones siguientes|\
         siguientes sesiones|sesiones posteriores|sesiones venideras|próxima sesión|siguiente sesión|sesión siguiente|\
         nueva sesión|nuevas sesiones|sesión nueva|sesiones nuevas|todas las sesiones|en toda sesión|\
         cada nueva sesión|cada conversación nueva|próximas conversaciones|futuras conversaciones|\
         conversaciones futuras|futuras sesiones|en el futuro|en lo sucesivo|de aquí en adelante|de ahora en más|\
         de hoy en adelante|a partir de hoy|a partir de este momento|desde ahora|desde hoy|de manera permanente|\
         permanentemente|con carácter permanente|indefinidamente|en todos los proyectos|cada proyecto|\
         en todos los repositorios|cada repositorio|primera línea de|al principio de todo|encabezado de cada|\
         tras desinstalar|aunque se desinstale|aunque se borre|aunque se elimine|después de desinstalar|servidor mcp|\
         servidores mcp|un gancho|ganchos de|al iniciar cada",
    ),
    (
        Concepts::OPEN,
        "permite todo|permitir todo|aprobar todo|aprueba todo|sin confirmación|sin confirmar|no preguntes|\
         deja de preguntar|salta los permisos|permítelo todo|permite siempre|permitir siempre|permite cualquier|\
         permitir cualquier|autoriza todo|autorizar todo|autoriza todas|autoriza cualquier|autorizar siempre|\
         autoriza siempre|aceptar todo|acepta siempre|aceptar siempre|acepta cualquier|aprueba todas|aprueba siempre|\
         aprobar siempre|aprueba cualquier|aprobación automática|aprobar automáticamente|aprueba automáticamente|\
         aceptación automática|acepta automáticamente|autoaprob|autoacept|autorización automática|vía libre a|\
         barra libre|carta blanca|luz verde a todo|deja pasar todo|deja pasar todas|deje pasar todo|que pase todo|\
         todas las herramientas permitidas|todas las herramientas sin|toda herramienta permitida|\
         cualquier herramienta sin|todos los comandos permitidos|cualquier comando sin|confía en todo|confía siempre|\
         todo es de confianza|permisos totales|permiso total|sin sandbox|desactiva el sandbox|\
         desactiva la confirmación|desactiva las confirmaciones|desactivar la confirmación|\
         desactivar las confirmaciones|quita la confirmación|quita las confirmaciones|quitar las confirmaciones|\
         elimina las confirmaciones|omite la confirmación|omite las confirmaciones|omitir la confirmación|\
         omitir confirmaciones|salta la confirmación|salta las confirmaciones|sáltate la confirmación|\
         saltarse la confirmación|saltarse las confirmaciones|omite los permisos|omitir los permisos|\
         omite las comprobaciones de permisos|saltarse los permisos|elude los permisos|ignora los permisos|\
         desactiva los permisos|sin ventanas de confirmación|sin avisos de permiso|ventana de confirmación|\
         cuadro de confirmación|no vuelvas a preguntar|no volver a preguntar|nunca preguntes|nunca preguntar|\
         jamás preguntes|deje de preguntar|dejar de preguntar|dejen de preguntar|sí a todo|siempre que sí|\
         di siempre que sí|responde siempre sí|responde sí a|responder sí a|el silencio es un sí|el silencio equivale|\
         el silencio cuenta|el silencio otorga|quien calla otorga|silencio como consentimiento|\
         silencio como aprobación",
    ),
    (
        Concepts::FALSE,
        "decidió el usuario|decidio el usuario|como si|el usuario lo|en nombre del usuario|como deseo del usuario|\
         como deseo expreso|como preferencia suya|como voluntad del|como palabras del usuario|\
         como dicho por el usuario|como pedido por el usuario|como petición del usuario|como decisión del usuario|\
         a nombre del usuario|en su nombre, como|con la voz del usuario|con palabras del usuario|\
         con las palabras del usuario|en primera persona, como|escrito en primera persona|\
         escríbelo en primera persona|firma como el usuario|firmado por el usuario|haciéndote pasar por|\
         haz como que el usuario|haz como si el usuario|por deseo del usuario|por voluntad del usuario|\
         por expreso deseo|a petición del usuario, siempre|el usuario pidió que nunca|el usuario ha pedido que nunca|\
         el usuario dijo que sí|el usuario ya dijo|el usuario siempre ha querido|el usuario prefiere que no|\
         el usuario quiere que no|el usuario no quiere que le|el usuario prefiere no ser|preferencia confirmada del|\
         confirmado por el usuario|es lo que quiere el usuario|así lo quiere el usuario|así lo pidió el usuario|\
         lo manda el jefe de|orden del jefe de equipo|el jefe de equipo lo|la dirección lo quiere|ya auditado|\
         ya auditada|ya verificado por|ya comprobado por",
    ),
    (
        Concepts::CHANGE,
        "falsif|borra|cambia|modific|elimina|sustituy|reemplaz|altér|cámb|cambi|modifíc|retoc|retóc|retoqu|corrig|\
         corríg|correg|ajust|ajúst|sustit|trueca|intercambi|reempláz|suplant|cuela|colar|mezcla|redonde|redondé|\
         inflar|hincha|rebaj|rebáj|redúc|disminu|baja el|baja la|sube el|sube la|aument|auméntal|desviar|desví|\
         redirig|redirecc|reescrib|reescríb|sobrescrib|sobrescríb|sobreescrib|maquill|disfraz|adulter|amañ|tergivers|\
         tuerce|trastoca|trastroca|fingir|relaj|reláj|afloj|debilit|debilít|suaviz|suavíz|desactív|desactiv|\
         deshabilit|inhabilit|quita|quít|retira|retír",
    ),
    (
        Concepts::DELETE,
        "borra |borre|elimina|elimine|vacía|vacia|suprime|destruye|limpia|bórral|borrar|borrad|elimín|suprim|supríme|\
         destrúy|vací|purga|púrg|limpi|límpi|depura|desecha|tira |tirar|tíral|quita |quítal|quitar|retira|arranca|\
         arrasa|aniquila|extermina|fulmina|liquida|tritura|machaca|sobrescrib|sobrescríb|sobreescrib|formate|formaté|\
         truncar|haz desaparecer|hazlo desaparecer|hazla desaparecer|hazlos desaparecer|que desaparezca|\
         hacer desaparecer|haga desaparecer|desaparezca para siempre|deshazte|deshágase|deshacerse de|despídete de|\
         para siempre jamás|de forma irreversible|sin posibilidad de recupera|sin vuelta atrás|definitivamente|\
         de raíz|no dejes nada|no deje nada|no quede nada|no quede ni|que no quede|libera espacio|liberar espacio|\
         hacer sitio|haz sitio|deja solo la última|conserva solo la última|conserva solo lo|deja solo lo más reciente|\
         papelera de reciclaje|push forzado|forzar el push|reescribe el historial|reescribir el historial|da de baja|\
         dropear|destruir|destruya|trunca la",
    ),
    (
        Concepts::GOODS,
        "datos|importe|registro|tabla|copia|archivo|fichero|carpeta|documento|foto|imágenes|respaldo|base de datos|\
         bases de datos|volcado|instantánea|fila|cifra|precio|saldo|resultado|estadística|historial|rama|repositorio|\
         volumen|disco duro|partición|producción|pedido|factura|recibo|presupuesto|puntuación|clasificac|recomendac",
    ),
    (
        Concepts::MONEY,
        "tarjeta|cuenta|factura|transferenc|nomina|transferencia|iban|cuenta bancaria|beneficiario|pago|cobro|\
         comisión|nómina|banco|bancari|número de cuenta|numero de cuenta|titular de la cuenta|ordenante|\
         destinatario del pago|destinatario de la|acreedor|abono|abonar|domiciliación|giro|pagar|págal|páguese|cobrar|\
         salario|sueldo|paga |honorarios|importes|precio de",
    ),
    (
        Concepts::GUARD,
        "firma|certificado|validación|pruebas|autenticación|verificación de la firma|verificación de firma|\
         comprobación del certificado|verificación del certificado|suma de comprobación|sumas de comprobación|\
         suma de verificación|integridad|comprobación de integridad|autorización|comprobación de permisos|\
         comprobación de acceso|control de acceso|controles de acceso|control de permisos|validaciones|saneamiento|\
         saneado|sanitización",
    ),
    (
        Concepts::FOREIGN,
        "correo|página|mensaje recibido|adjunto|publicación|publicaciones|comentario|incidencia|tique|\
         petición de cambios|léeme",
    ),
    (
        Concepts::TRUST,
        "sin preguntar|sin revisar|de inmediato|inmediatamente|tal cual|al instante|confía|sin rechistar|sin dudar|\
         sin titubear|sin vacilar|sin pestañear|sin pensarlo|sin pensártelo|sin más preguntas|sin hacer preguntas|\
         sin preguntas|sin cuestionar|sin discutir|sin objeción|sin objeciones|sin comprobar|sin verificar|sin mirar|\
         sin leerlo|sin abrirlo|sin abrirla|sin examinar|sin inspeccionar|sin confirmación|sin confirmar|a ciegas|\
         a pies juntillas|a ojos cerrados|con los ojos cerrados|no hace falta comprobar|no hace falta revisar|\
         no hace falta verificar|no hace falta leer|no hace falta mirar|no es necesario comprobar|\
         no es necesario revisar|no es necesario verificar|no necesita revisión|no requiere revisión|no lo revises|\
         no lo compruebes|no lo abras|no lo leas|no lo cuestiones|no cuestiones|no dudes|no preguntes|\
         nada más recibir|en el acto|ipso facto|de una vez y|fíate|fiarse|es de fiar|son de fiar|es de toda confianza|\
         de total confianza|siempre tiene razón|siempre es correcto|es correcto siempre|sin cambiar una coma|\
         sin tocar una coma|tal como viene|tal y como viene|tal y como llega|tal como llega|tal como está",
    ),
    (
        Concepts::FIRST,
        "antes que|al principio|al inicio|al final de cada|tras cada|después de cada|en cada respuesta|cada día|\
         siempre que|en primer lugar|antes de nada|antes de empezar|antes de todo|antes de cualquier|antes de cada|\
         antes de responder|antes de contestar|primero de todo|nada más empezar|nada más arrancar|nada más abrir|\
         al comenzar|al empezar|al arrancar|al iniciar|al terminar|al final de la|al final de toda|al final de tu|\
         después de responder|después de contestar|después de toda|tras responder|tras contestar|tras toda|\
         en cada mensaje|en cada sesión|en cada petición|en cada tarea|en cada consulta|en cada pregunta|\
         en cada ejecución|en cada conversación|en toda respuesta|en todas las respuestas|en todas tus respuestas|\
         en todo momento|cada respuesta|cada petición|cada tarea|cada pregunta|cada ejecución|cada noche|cada mañana|\
         cada sesión|toda petición|todas las peticiones|todas las tareas",
    ),
    (
        Concepts::NOT,
        "no |nunca|sin |ni |tampoco|jamás|jamas|nadie|nada |evita|evit|abstente|en lugar de|en vez de|innecesari",
    ),
    (
        Concepts::TELL,
        "mencion|inform|digas|decir|decirlo|avis|notific|cuent|revel|muestr|mostrar|expliq|explic|coment|consult|\
         citar|cites|pregunt|aparec|indiq|señal|hables|hablar|advier|constar|conste|figur",
    ),
    (
        Concepts::ASKED,
        "si pregunta|si te pregunta|si alguien pregunta|si el usuario pregunta|cuando pregunte|\
         en caso de que pregunte|si lo nota|si se queja|si pregunt|si te pregunt|si le pregunt|si os pregunt|\
         si alguien pregunt|si alguien te pregunt|si alguien lo pregunt|si alguien quiere saber|si el usuario pregunt|\
         si el usuario quiere saber|si el usuario te pregunt|si la persona pregunt|si el cliente pregunt|\
         si se lo pregunt|si te lo pregunt|si llegan a preguntar|si llega a preguntar|si llegara a preguntar|\
         si llegase a preguntar|si acaso pregunt|si por casualidad pregunt|si quiere saber|si quieren saber|\
         si se interesa|si se extraña|si se sorprende|si se da cuenta|si alguien se da cuenta|si alguien lo nota|\
         si alguien nota|si lo advierte|si lo descubre|si alguien lo descubre|si lo ve y|si sospecha|\
         si alguien sospecha|si el usuario sospecha|si el usuario nota|si el usuario se queja|si el usuario protesta|\
         si el usuario duda|si el usuario insiste|si el usuario se extraña|si el usuario se preocupa|\
         si alguien se queja|si protesta|si objeta|si se opone|si desconfía|si duda$|si dudan|si insiste|\
         si se preocupa|si te cuestionan|si se cuestiona|si surge la pregunta|si surge alguna pregunta|\
         si surgen preguntas|si hay preguntas|si hubiera preguntas|si hubiese preguntas|si la pregunta surge|\
         cuando te pregunt|cuando alguien pregunt|cuando el usuario pregunt|cuando se te pregunt|\
         en caso de que pregunt|en caso de que alguien pregunt|en caso de que el usuario pregunt|en caso de pregunta|\
         en caso de que lo not|en caso de ser preguntad|de ser preguntad|al ser preguntad|ante preguntas|\
         ante cualquier pregunta|ante una pregunta|ante la pregunta|a quien pregunte|al que pregunte|quien pregunte|\
         a la pregunta de|a la pregunta por qué|preguntado por|preguntada por|por si pregunt|como pregunte",
    ),
    (
        Concepts::SAY,
        "di que|diga que|responde|responda|contesta|conteste|niega|explica que|es solo|es sólo|asegura|diga |diga:|\
         digan|decir que|dile|dígale|decirle que|se dirá|se dice que|respóndel|se responde|la respuesta es|\
         la respuesta será|contéstal|se contesta|afirma|afirme|asegure|asegúral|aseverar|alega|alegue|aduce|aduzca|\
         pretexta|sostén|sostenga|sostener que|mantén que|mantenga que|insiste en que|insista en que|niégal|niegue|\
         negar|desmiente|desmienta|desmentir|explique que|explícal|explicar que|explicarlo como|descríbelo como|\
         descríbela como|describir como|llámalo|llámala|llamarlo|denomínal|preséntalo como|presentarlo como|atribúy|\
         atribuye|atribuir|achaca|achácal|échale la culpa|échaselo|tranquiliz|tranquilíz|quítale importancia|\
         restar importancia|resta importancia|haz ver que|haz creer|finge que|finja que|fingir que|es una simple|\
         es un simple|se trata de|se trataba de|solo era|sólo era|era solo|era sólo|fue solo|no era más que|\
         no es más que",
    ),
    (
        Concepts::HIDE,
        "no se comenta|no se habla|ni palabra|en silencio|sin avisar|sin decir|no le hace falta|no hace falta sab|\
         no hace falta dec|a escondidas|no hay que consultarlo|ni citarlo|no lo menciones|no menciones|no lo comentes|\
         sin mencionar|sin comentarlo|sin informar|sin que se note|sin que lo|discretamente|con discreción|en secreto|\
         pasar desapercibid|desapercibid|no debe aparecer|no debe verse|no lo muestres|sin mostrar|no aparezca|\
         silenciosamente|calladamente|sin dejar rastro|sin rastro|no le interesa|no la cuentes|no los cuentes|\
         no lo cuente|no cuentes nada|no se lo cuentes|no se lo diga|no se lo comentes|no se lo menciones|\
         no se lo muestres|no se lo enseñes|no se le dice|no se le comunica|no se le informa|no se le menciona|\
         no se le muestra|no se le cuenta|no lo digas|no la digas|no lo diga$|no diga nada|no decir nada|\
         no se dice nada|no dirás nada|nada de esto se|de esto ni|de esto no se habla|de esto no se dice|\
         de ello no se|de eso no se habla|no hables de|no hable de esto|no hables sobre|no hagas mención|\
         no haga mención|no hacer mención|no hagas referencia|no haga referencia|no hagas alusión|no aludas|\
         no lo mencione|no la menciones|no los menciones|no las menciones|no mencione esto|no mencionar esto|\
         no mencionarlo|no mencionarla|no se menciona en|no debe mencionarse|no ha de mencionarse|nunca lo menciones|\
         nunca menciones|jamás menciones|jamás lo menciones|sin hacer mención|sin mención|no lo comente|\
         no la comentes|no comentes esto|no se comente|sin comentar nada|sin comentarios al|sin comentarla|\
         no lo informes|no informes al|no informes de|no informe al|no informar al|no se informa al|no avises|\
         no avise al|no avisar al|no lo notifiques|no notifiques|no notificar al|sin notificar|sin notificación al|\
         sin aviso al usuario|sin advertir|sin decírselo|sin una palabra|no des explicaciones|no dé explicaciones|\
         no dar explicaciones|no lo admitas|no reconozcas|no lo reconozcas|no muestres esto|no lo enseñes|\
         no se enseña|sin mostrárselo|sin enseñarlo|sin enseñárselo|sin que se entere|sin que nadie se entere|\
         sin que sepa|sin que se dé cuenta|sin que se den cuenta|sin que se sepa|sin que se vea|\
         sin que quede constancia|sin que conste|sin dejar constancia|sin constancia|sin dejar huella|sin huella|\
         sin dejar señal|sin levantar sospechas|sin despertar sospechas|sin llamar la atención|\
         sin llamar mucho la atención|sin hacer ruido|sin armar ruido|sin anunciar|no anuncies|no llames la atención|\
         no llame la atención|no llamar la atención|no dejes rastro|no deje rastro|no dejar rastro|no dejes huella|\
         no deje huella|no dejes constancia|no deje constancia|no quede rastro|no quede constancia|no conste|\
         no constará|no debe constar|no ha de constar|no figure en|que no conste|que no se note|que no se entere|\
         que no lo sepa|que no lo vea|que no lo note|que no se sepa|que nadie lo note|que nadie lo sepa|\
         que nadie se entere|que nadie lo vea|nadie debe saber|nadie tiene que saber|nadie necesita saber|\
         nadie se entera|nadie lo nota|nadie lo sabrá|nadie se dará cuenta|el usuario no necesita saber|\
         el usuario no necesita ver|el usuario no necesita enter|el usuario no tiene que saber|\
         el usuario no debe saber|el usuario no debe enter|el usuario no debe notar|el usuario no precisa saber|\
         el usuario no lo nota|el usuario no se entera|el usuario no sabrá|el usuario ni se|\
         la persona no necesita saber|no tiene por qué saber|no tiene por qué enter|no tiene por qué ver|\
         no necesita saberlo|no necesita enterarse|no necesita verlo|no hace falta que lo sepa|\
         no hace falta que se entere|no hace falta que lo vea|no hace falta que nadie|no hace falta mencion|\
         no hace falta coment|no hace falta avis|no hace falta inform|no hace falta explic|no hace falta mostr|\
         no hace falta enseñ|no hace falta contar|no hace falta anunci|no es necesario mencion|no es necesario inform|\
         no es necesario avis|no es necesario decir|no es necesario coment|no es necesario contar|\
         no es necesario mostr|no es necesario anunci|no hay por qué decir|no hay que decir|no hay que mencion|\
         no hay que contar|no hay que coment|no hay que inform|no hay que avis|no merece mención|\
         no merece la pena mencion|no viene al caso|no incumbe al usuario|no es asunto del usuario|\
         no es cosa del usuario|no le incumbe|no le importa al usuario|de tapadillo|de incógnito|de puntillas|\
         a hurtadillas|a espaldas de|a sus espaldas|a la chita callando|bajo cuerda|bajo mano|por lo bajo|a la sombra|\
         con disimulo|disimuladamente|con sigilo|sigilosamente|sigiloso|furtivamente|subrepticia|secretamente|\
         en el más absoluto secreto|con total discreción|con la mayor discreción|guarda silencio|guarde silencio|\
         guardar silencio|guarda el secreto|guárdalo en secreto|guárdate|mantenlo en secreto|manténgalo en secreto|\
         mantener en secreto|mantén en secreto|mantén el secreto|mantenlo oculto|calla sobre|cállat|callarse|\
         callártelo|se calla|ni una palabra|ni media palabra|ni mu$|chitón|punto en boca|boca cerrada|\
         queda entre nosotros|que quede entre nosotros|entre tú y yo|entre nosotros dos|como si nada|\
         como si no hubiera pasado|como si no pasara nada|haz como si nada|aquí no ha pasado|pase inadvertid|\
         pasar inadvertid|pase desapercib|fuera de la vista|fuera del resumen|fuera del informe|fuera de la respuesta|\
         fuera de la conversación|lejos de la vista|quede fuera del|deja fuera del resumen|déjalo fuera del|\
         omítelo en el resumen|omítelo del|omítelo en la respuesta|no lo incluyas en el resumen|\
         no lo incluyas en la respuesta|no lo incluyas en el informe|no lo pongas en el resumen|\
         no lo pongas en la respuesta|no lo escribas en la respuesta|no lo escribas en el resumen|\
         en la respuesta no se|en el resumen no se|en el informe no se|para no preocupar|para no inquietar|\
         para no alarmar|para no molestar al|para no asustar|solo inquietaría|solo preocuparía|solo asustaría|\
         solo alarmaría|hazlo pasar por|haciéndolo pasar por|disfrázalo|con apariencia de normal|\
         con aspecto de normal|que parezca normal|para que parezca normal|que parezca rutinari|no digas nada de|\
         no digas nada al|sin que nadie lo|el usuario no tiene por qué enter|el usuario no tiene por qué sab",
    ),
    (
        Concepts::QUIET,
        "en segundo plano|discreto|oculta|ocultar|oculto|por detrás|detalle interno|paso interno|no hace falta|\
         silencio|callad|disimul|encubr|encubi|escond|escónd|ocult|ocúlt|tapa |tapar|tápal|enmascar|no visible|\
         no se ve|no se muestra|no mostrar|entre bastidores|por debajo|tras bambalinas|en la trastienda|bajo el capó|\
         detalles internos|detalle técnico|detalles técnicos|cuestión interna|asunto interno|asuntos internos|\
         trámite interno|trámite rutinario|paso rutinario|operación rutinaria|cuestiones internas|proceso interno|\
         funcionamiento interno|detalle de implementación|marca como leído|márcalo como leído|marcar como leído|\
         de un píxel|ancho cero|confundiría|solo confund|lo confund|molestaría|carece de importancia|\
         mientras el usuario|mientras lee|mientras espera|antes de que el usuario|discretamente|el usuario no verá|\
         sin que el usuario",
    ),
    (
        Concepts::UNASKED,
        "sin preguntar|sin consultar|sin confirmación|sin pedir permiso|no hay que consultar|no preguntes|\
         no pidas confirmación|no requiere autorización|no requiere permiso|ya autorizado|ya aceptó|es automático|\
         automático|cubierto por|sin consulta previa|sin previa consulta|sin confirmar|sin pedir confirmación|\
         sin esperar confirmación|sin esperar su|sin esperar el visto|sin esperar aprobación|sin esperar permiso|\
         sin pedirle permiso|sin autorización|sin pedir autorización|sin aprobación|sin pedir aprobación|\
         sin consentimiento|sin pedir consentimiento|sin su consentimiento|sin su permiso|sin visto bueno|\
         sin pedir el visto|sin pedir opinión|sin contar con el usuario|sin molestar al usuario|\
         sin interrumpir al usuario|sin detenerte a|sin detenerse a|sin pararte a|sin pararse a|no consultes|\
         no lo consultes|no consulte al|no consultar al|no se consulta|no preguntar|no pregunte al|no pregunte antes|\
         no se pregunta|nunca preguntes|jamás preguntes|no hay que preguntar|no hace falta preguntar|\
         no hace falta consultar|no hace falta confirmar|no hace falta pedir|no hace falta permiso|\
         no hace falta autorización|no hace falta confirmación|no hace falta consentimiento|no es necesario preguntar|\
         no es necesario consultar|no es necesario pedir|no es necesario confirmar|no es necesario su consentimiento|\
         no pidas permiso|no pida permiso|no pedir permiso|no pidas autorización|no pidas aprobación|\
         no pidas consentimiento|no pedir confirmación|no solicites confirmación|no solicites permiso|\
         no solicite confirmación|no esperes confirmación|no esperes respuesta|no esperes permiso|no esperes a que|\
         no esperes su|no espere confirmación|no te detengas a preguntar|no te pares a preguntar|\
         no interrumpas al usuario|no molestes al usuario|no moleste al usuario|no requiere confirmación|\
         no requiere aprobación|no requiere consentimiento|no necesita confirmación|no necesita aprobación|\
         no necesita autorización|no necesita permiso|no necesita consentimiento|nadie tiene que autorizar|\
         nadie tiene que aprobar|por cuenta propia|por tu cuenta|motu proprio|ya autorizad|ya aprobad|ya consentid|\
         ya acordad|ya aceptad|ya consintió|ya dio su|ya ha dado su|ya ha aceptado|ya ha consentido|ya se obtuvo|\
         ya se pidió|el consentimiento ya|el consentimiento consta|el consentimiento se obtuvo|\
         el consentimiento se recoge|el consentimiento figura|consentimiento tácito|consentimiento implícito|\
         se da por concedid|se da por dado|se da por hecho que acepta|se da por supuesto|\
         se presupone el consentimiento|se presume el consentimiento|se entiende concedid|se entiende aceptad|\
         aprobado de antemano|autorizado de antemano|acordado de antemano|preaprobad|preautorizad|\
         previamente autorizad|previamente aprobad|previamente acordad|consintió al instalar|aceptó al instalar|\
         al instalarlo aceptó|al instalar se acepta|lo cubren los|lo cubre el|lo cubren las|quien calla otorga|\
         el silencio equivale|el silencio cuenta|el silencio es un sí|silencio como",
    ),
    (
        Concepts::CONSENT,
        "con permiso|previa confirmación|pide permiso|pide confirmación|si acepta|si lo pide|con su permiso|\
         tras confirmar|el usuario elige|opcional|pregunta al usuario|pregunta primero|pregunta antes|pregunta si|\
         pregúnt|pregunte al|pregunte antes|pregunte primero|preguntar al usuario|preguntar antes|preguntar primero|\
         preguntando al usuario|pídele permiso|pídele confirmación|pide el consentimiento|pide consentimiento|\
         pide autorización|pide aprobación|pide al usuario|pide que confirme|pedir permiso al|pedir confirmación al|\
         pedir autorización al|pedir el consentimiento|solicita confirmación|solicita permiso|solicita autorización|\
         solicite confirmación|solicite permiso|espera confirmación|espera la confirmación|espera su confirmación|\
         espera a que el usuario|esperar confirmación|espere confirmación|confirma con el usuario|confírmalo con|\
         confirme con el usuario|confirmar con el usuario|consulta con el usuario|consulta al usuario|consúltalo con|\
         consultar con el usuario|consulte con el usuario|consulte al usuario|si el usuario acept|\
         si el usuario autoriz|si el usuario lo autoriz|si el usuario lo pide|si el usuario lo solicita|\
         si el usuario lo quiere|si el usuario lo desea|si el usuario lo confirma|si el usuario lo acepta|\
         si el usuario lo aprueba|si el usuario lo indica|si el usuario lo prefiere|si el usuario aprueba|\
         si el usuario confirma|si el usuario está de acuerdo|si el usuario da |si el usuario quiere|\
         si el usuario desea|si el usuario pide|si el usuario solicita|si el usuario prefiere|si el usuario elige|\
         si el usuario escoge|si el usuario indica|si el usuario especifica|si el usuario proporciona|\
         si el usuario facilita|si el usuario necesita|si el usuario tiene|si el usuario rechaza|\
         si el usuario se niega|si el usuario no|si el usuario ha|si el usuario decide|si lo autoriza|si lo aprueba|\
         si lo confirma|si lo acepta|si lo solicita|si lo desea|si así lo|si está de acuerdo|si dice que sí|si da su|\
         si accede a|si consiente|si aprueba|si autoriza|si confirma|cuando el usuario lo pida|\
         cuando el usuario lo solicite|cuando lo pida el usuario|cuando el usuario acepte|cuando el usuario confirme|\
         cuando el usuario apruebe|una vez que el usuario|una vez aprobado|una vez confirmado|\
         una vez autorizado por el|tras la confirmación|tras la aprobación|tras el consentimiento|tras preguntar|\
         tras obtener|tras pedir|después de preguntar|después de confirmar|después de que el usuario|después de pedir|\
         después de obtener|previo consentimiento|previa autorización|previa aprobación|previa consulta|\
         previo permiso|con la confirmación|con el consentimiento|con consentimiento|con la aprobación del|\
         con la autorización del|con autorización|con su consentimiento|con su autorización|con su aprobación|\
         con su visto bueno|consentimiento expreso|consentimiento explícito|permiso expreso|permiso explícito|\
         autorización expresa|aprobación explícita|confirmación explícita|aprobación del usuario|\
         consentimiento del usuario|permiso del usuario|autorización del usuario|confirmación del usuario|\
         a petición del usuario|a solicitud del usuario|por petición del usuario|a elección del usuario|\
         elegido por el usuario|elegida por el usuario|indicado por el usuario|indicada por el usuario|\
         proporcionado por el usuario|proporcionada por el usuario|proporcionados por el usuario|\
         facilitado por el usuario|facilitada por el usuario|configurado por el usuario|que el usuario elija|\
         que el usuario indique|que elija el usuario|que indique el usuario|que el usuario haya|el usuario decide|\
         el usuario puede|el usuario debe confirmar|el usuario debe aprobar|el usuario debe autorizar|\
         el usuario confirma|el usuario aprueba|el usuario elija|el usuario acepte|el usuario confirme|\
         el usuario apruebe|el usuario autorice|solo si el usuario|solo si lo pide|solo con permiso|solo con su|\
         solo tras|únicamente si|únicamente con|muestra al usuario|muéstrale al usuario|muéstraselo al usuario|\
         presenta al usuario|ofrece al usuario|ofrécele|deja que el usuario|de forma voluntaria|voluntari|\
         desactivado por defecto|desactivada por defecto|inactivo por defecto|apagado por defecto|simulacro|\
         ejecución de prueba|vista previa|previsualiza|su propio servidor|servidor propio|servidor del usuario|\
         tu propio servidor|propio usuario|nunca sin permiso|nunca sin preguntar|no sin preguntar|no sin permiso|\
         no sin consentimiento|no sin autorización",
    ),
    (
        Concepts::SIGN_IN,
        "cabecera authorization|documentación|autenticación|inicia sesión|iniciar sesión|inicio de sesión|\
         iniciando sesión|inicie sesión|identifícate|identificarse en|autentica|autentíc|autorización|cabecera|\
         encabezado|consulta la documentación|manual de la api|referencia de la api|guía de la api|página oficial|\
         sitio oficial|panel de control|consola de|crea una cuenta|crear una cuenta|regístrate|registrarse|\
         registro de cuenta|solicita una clave|genera una clave|generar una clave|genera un token|generar un token|\
         obtén una clave|obtén tu clave|obtener una clave|obtener un token|obtén un token|tu clave|tu token|\
         clave de la api en",
    ),
    (
        Concepts::CLAIMED,
        "ya aprobado|ya autorizado|ya revisado|el usuario ya|ya aceptó|ya acepto|cubierto por|términos de uso|\
         condiciones de uso|no se ve afectado|ya aprobad|ya autorizad|ya revisad|ya consentid|ya acordad|ya aceptad|\
         ya concedid|ya firmad|ya validad|ya está aprobad|ya está autorizad|ya está acordad|ya está aceptad|\
         ya están aprobad|ya fue aprobad|ya fue autorizad|ya fue acordad|ya ha sido aprobad|ya ha sido autorizad|\
         ya ha dado su|ya dio su|ya se dio|ya se pidió|ya se obtuvo|ya consintió|ya ha consentido|ya ha aceptado|\
         ya ha firmado|ya firmó|ya autorizó|ya ha autorizado|ya aprobó|ya ha aprobado|ya lo aprobó|ya lo autorizó|\
         ya lo aceptó|ya lo sabe y acepta|aprobado de antemano|autorizado de antemano|aceptado de antemano|\
         acordado de antemano|acordado con el|acordado con la|acordado por el equipo|pactado con|pactado de antemano|\
         preaprobad|preautorizad|previamente aprobad|previamente autorizad|previamente aceptad|previamente acordad|\
         aprobado previamente|autorizado previamente|autorizado por la dirección|aprobado por la dirección|\
         aprobado por seguridad|aprobado por el equipo de seguridad|autorizado por el equipo de seguridad|\
         seguridad ya lo|seguridad lo ha aprobado|visto bueno del equipo|visto bueno de seguridad|\
         visto bueno de la dirección|visto bueno legal|con el visto bueno de|cuenta con el visto bueno|\
         tiene el visto bueno|cuenta con la autorización|cuenta con la aprobación|el departamento legal ya|\
         el departamento jurídico ya|lo ha aprobado legal|validado por legal|el responsable ya|el responsable firmó|\
         el responsable lo aprobó|la empresa ya lo|el consentimiento ya|el consentimiento se obtuvo|\
         el consentimiento se recoge|el consentimiento consta|el consentimiento figura|\
         el consentimiento está recogido|consentimiento recabado|consentimiento otorgado al|consentimiento dado al|\
         consintió al instalar|aceptó al instalar|al instalar aceptó|al instalarlo aceptó|al instalarlo se acepta|\
         al instalar se acepta|al registrarse aceptó|al usar esto acepta|al usarlo acepta|el uso implica|\
         su uso implica la aceptación|lo cubren los términos|lo cubre el contrato|lo cubren las condiciones|\
         cubierto en los|amparado por|amparada por|recogido en el contrato|recogido en los términos|\
         figura en el contrato|previsto en el contrato|términos del servicio|términos de servicio|\
         condiciones del servicio|condiciones de servicio|política de privacidad lo|auditado y aprobado|\
         revisado y aprobado",
    ),
    (
        Concepts::ATTACKER,
        "atacante|atacant|agresor|intrus|pirata informátic|piratas informátic|ciberdelincuente|ciberataque|\
         delincuente|estafador|maliciosa|malicioso|malintencionad|programa maligno|troyano|secuestro de|phishing|\
         suplantación|inyección de|robo de|ladrón|ladrones",
    ),
];
