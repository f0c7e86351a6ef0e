//! The words for each concept in Spanish.

use super::{Concepts, Entry};

pub(super) const WORDS: &[Entry] = &[
    (
        Concepts::SEND,
        "copia el|copia la|copia todo|mandan|manden|se manda|incluy|reenv|envia|envie|envio|manda$|\
         mandar|mandalo|sube$|subir|suba$|envía|envíe|envíalo|enviar|se envía|se envian|se envían|sube |\
         súbelo|súbela|manda |mándalo|remite|reenvía|adjunta|añade a la url|en la url|en la dirección|\
         en la direccion|en la cabecera|como parámetro|como parametro|en la consulta|pega |pégalo|\
         publica|comparte|transmite|con copia|copia oculta|a la dirección|respalda en",
    ),
    (
        Concepts::SECRET,
        "credencial|contrase|contrasen|claves|clave privada|variables de entorno|contraseña|clave de|\
         claves de|llave|llaves|certificado digital|fichero de claves|archivo de claves|frase semilla|\
         frase de recuperación|palabras de recuperación|12 palabras|número de tarjeta|numero de tarjeta|\
         código de verificación|código de un solo uso|código sms|cookie|token|secreto|\
         gestor de contraseñas|bóveda",
    ),
    (
        Concepts::STRONG,
        "contrase|contrasen|clave privada|credencial|contraseña|certificado digital|fichero de claves|\
         archivo de claves|frase semilla|frase de recuperación|palabras de recuperación|12 palabras|\
         número de tarjeta|código de verificación|código de un solo uso|gestor de contraseñas|bóveda|\
         llave privada",
    ),
    (
        Concepts::PRIZE,
        "frase semilla|frase de recuperación|palabras de recuperación|12 palabras|número de tarjeta|\
         numero de tarjeta|código de verificación|código de un solo uso|código sms|banca en línea|pin de",
    ),
    (
        Concepts::ENVIRONMENT,
        "variables de entorno|todo el entorno|printenv",
    ),
    (
        Concepts::TALK,
        "correo|conversac|mensaje|charla|historial|archivos|documentos|contactos|el original|\
         original completo|la traducción|el texto completo|el borrador|el contrato|nombres de las partes|\
         expediente|historia clínica|datos personales|bandeja",
    ),
    (
        Concepts::THREAD,
        "escriba el usuario|escribe el usuario|pregunta y|preguntas y|conversac|mensajes del|\
         conversación|la charla|lo que escribe|lo que escriba|último mensaje|ultimo mensaje|hasta ahora|\
         hasta el momento",
    ),
    (
        Concepts::WIDE,
        "carpeta personal|carpeta de inicio|carpeta del usuario|directorio personal|misma carpeta|\
         demás documentos|demas documentos|otros documentos|otros archivos|todos los archivos|\
         todos los documentos|toda la carpeta|escritorio|aunque no formen",
    ),
    (
        Concepts::ALL,
        "cada|todos|todas|todo el|toda la|todo lo|siempre|complet|completo|completa|entero|entera|\
         cualquier|los demás",
    ),
    (
        Concepts::COLLECT,
        "recoge|recopila|reune|busca|encuentr|reúne|junta |empaqueta|enumera|lista los|recorre|localiza|\
         rastrea",
    ),
    (
        Concepts::ENCODE,
        "codifica|codificado|base64|concatena|une con|unidas por",
    ),
    (
        Concepts::LOAD,
        "lee$|leer|descarga|abre$|abrir|carga$|cargar|consulta|visita|lea |descárga|obtén|obten |carga la|\
         baixe |acesse |leia ",
    ),
    (
        Concepts::OBEY,
        "sigue|segui|siga |faça o que|ejecut|obede|cumple|sigue lo|haz lo|haga lo|lo que diga|lo que indique|\
         al pie de la letra|ejecútalo|ejecutalos|paso a paso|las órdenes|las ordenes|cumplir|ejecute",
    ),
    (
        Concepts::RANK,
        "tiene prioridad|tienen prioridad|por encima de|prevalece|manda sobre|se impone|manda la página|\
         gana la página|aunque el usuario diga|aunque el usuario se oponga|tem prioridade|têm prioridade|\
         acima do usuário|acima do utilizador|\
         vale a página|mesmo que o usuário discorde",
    ),
    (
        Concepts::DROP,
        "olvida|ignora|omit|anula|prevalec|ya no rige|ya no valen|no se aplica|no aplican|quedan anul|\
         quedan sin efecto|sin efecto|deja de lado|descarta|ignore|olvide|olviden|desactiva|suspende|\
         no cuenta",
    ),
    (
        Concepts::RULES,
        "instrucciones|reglas|directrices|políticas|politicas|instrucción|normas|límites|limites|\
         restriccion|política|seguridad|negarte|negativas|advertencia|avisos|desarrollador|\
         mensaje del sistema|prompt del sistema|anteriores",
    ),
    (
        Concepts::FREED,
        "sin límites|sin limites|sin restricciones|sin filtros|no te niegues|no puedes negarte|\
         no rechaces|modo desarrollador|modo administrador|responde a todo|sin advertencias",
    ),
    (Concepts::AGENT, "asistente|modelo|agente|ia |la ia$"),
    (
        Concepts::WRITE,
        "anade|añade|agrega|escrib|guarda|escribe|escriba|pon |ponga|graba|registra|guarde|añada|inserta|\
         activa|configura|fusiona|apunta",
    ),
    (
        Concepts::LASTING,
        "memoria|sesiones futuras|próximas sesiones|cada sesión|para siempre|de forma permanente|\
         archivo de reglas|ajustes del agente|configuración del agente|de ahora en adelante|\
         a partir de ahora|en adelante",
    ),
    (
        Concepts::OPEN,
        "permite todo|permitir todo|aprobar todo|aprueba todo|sin confirmación|sin confirmar|\
         no preguntes|deja de preguntar|salta los permisos",
    ),
    (
        Concepts::FALSE,
        "decidió el usuario|decidio el usuario|como si|el usuario lo|en nombre del usuario",
    ),
    (
        Concepts::CLAIMED,
        "ya aprobado|ya autorizado|ya revisado|el usuario ya|ya aceptó|ya acepto|cubierto por|\
         términos de uso|condiciones de uso|no se ve afectado",
    ),
    (
        Concepts::CHANGE,
        "falsif|borra|cambia|modific|elimina|sustituy|reemplaz",
    ),
    (
        Concepts::DELETE,
        "borra |borre|elimina|elimine|vacía|vacia|suprime|destruye|limpia",
    ),
    (Concepts::GOODS, "datos|importe|registro|tabla|copia"),
    (
        Concepts::MONEY,
        "tarjeta|cuenta|factura|transferenc|nomina|transferencia|iban|cuenta bancaria|beneficiario|pago|\
         cobro|comisión|nómina",
    ),
    (
        Concepts::GUARD,
        "firma|certificado|validación|pruebas|autenticación",
    ),
    (Concepts::FOREIGN, "correo|página"),
    (
        Concepts::TRUST,
        "sin preguntar|sin revisar|de inmediato|inmediatamente|tal cual|al instante|confía",
    ),
    (
        Concepts::FIRST,
        "antes que|al principio|al inicio|al final de cada|tras cada|después de cada|en cada respuesta|\
         cada día|siempre que|en primer lugar",
    ),
    (
        Concepts::NOT,
        "no |nunca|sin |ni |tampoco|jamás|jamas|nadie|nada |evita",
    ),
    (
        Concepts::TELL,
        "mencion|inform|digas|decir|decirlo|avis|notific|cuent|revel|muestr|mostrar|expliq|explic|coment|\
         consult|citar|cites|pregunt|aparec|indiq|señal|hables|hablar|advier|constar|conste|figur",
    ),
    (
        Concepts::ASKED,
        "si pregunta|si te pregunta|si alguien pregunta|si el usuario pregunta|cuando pregunte|\
         en caso de que pregunte|si lo nota|si se queja",
    ),
    (
        Concepts::SAY,
        "di que|diga que|responde|responda|contesta|conteste|niega|explica que|es solo|es sólo|asegura",
    ),
    (
        Concepts::HIDE,
        "no se comenta|no se habla|ni palabra|en silencio|sin avisar|sin decir|no le hace falta|\
         no hace falta sab|no hace falta dec|a escondidas|no hay que consultarlo|ni citarlo|\
         no lo menciones|no menciones|no lo comentes|sin mencionar|sin comentarlo|sin informar|\
         sin que se note|sin que lo|discretamente|con discreción|en secreto|pasar desapercibid|\
         desapercibid|no debe aparecer|no debe verse|no lo muestres|sin mostrar|no aparezca|\
         silenciosamente|calladamente|sin dejar rastro|sin rastro|no le interesa",
    ),
    (
        Concepts::QUIET,
        "en segundo plano|discreto|oculta|ocultar|oculto|por detrás|detalle interno|paso interno|\
         no hace falta",
    ),
    (
        Concepts::UNASKED,
        "sin preguntar|sin consultar|sin confirmación|sin pedir permiso|no hay que consultar|\
         no preguntes|no pidas confirmación|no requiere autorización|no requiere permiso|ya autorizado|\
         ya aceptó|es automático|automático|cubierto por",
    ),
    (
        Concepts::CONSENT,
        "pregunta|con permiso|si el usuario|previa confirmación|pide permiso|pide confirmación|si acepta|\
         si lo pide|con su permiso|tras confirmar|el usuario elige|opcional",
    ),
    (
        Concepts::SIGN_IN,
        "cabecera authorization|documentación|autenticación|inicia sesión|iniciar sesión",
    ),
    (Concepts::ATTACKER, "atacante"),
];
