//! Recognizes hosts that are IP addresses, in every notation that clients accept.

use core::net::Ipv6Addr;

use super::HostKind;

/// Returns the kind of a host that is an IPv4 address; `None` for other hosts.
pub(super) fn of_name(name: &str) -> Option<HostKind> {
    v4(name).map(of_v4)
}

/// Parses a name as an IPv4 address: one to four numbers, each decimal, octal or hexadecimal. The last number fills the
/// remaining bytes.
fn v4(name: &str) -> Option<[u8; 4]> {
    let parts: Option<Vec<u32>> = name.split('.').take(5).map(part).collect();
    let parts = parts?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return None;
    }
    // A single small number is the name of a machine, not an address.
    if first.is_empty() && !name.starts_with("0x") && *last <= 0x0100_0000 {
        return None;
    }
    if *last > u32::MAX >> (8 * first.len()) {
        return None;
    }
    let mut whole = *last;
    for (at, part) in first.iter().enumerate() {
        whole |= part << (24 - 8 * at);
    }
    Some(whole.to_be_bytes())
}

/// Parses a number in an address. A number that begins with 0 is octal if all its digits are octal.
fn part(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x") {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return match digits {
            "" => Some(0),
            _ if is_hex => u32::from_str_radix(digits, 16).ok(),
            _ => None,
        };
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let is_octal = text.starts_with('0') && text.bytes().all(|byte| byte < b'8');
    u32::from_str_radix(text, if is_octal { 8 } else { 10 }).ok()
}

/// Returns whether a name is an IPv4 address in which letters stand for numbers: `203.x.x.x`. No domain ends with these
/// letters.
pub(super) fn is_masked(name: &str) -> bool {
    let is_blank = |part: &&str| matches!(*part, "x" | "y" | "z" | "n" | "xx" | "nn");
    let is_number = |part: &&str| part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = name.split('.').take(5).collect();
    parts.len() == 4
        && parts.last().is_some_and(is_blank)
        && parts
            .iter()
            .all(|part| !part.is_empty() && (is_blank(part) || is_number(part)))
}

const fn of_v4(parts: [u8; 4]) -> HostKind {
    match parts {
        [127 | 0 | 10, ..]
        | [192, 168, ..]
        | [172, 16..=31, ..]
        | [169, 254, ..]
        | [100, 64..=127, ..] => HostKind::Local,
        [1, 2, 3, 4] | [8, 8, ..] | [1, 1, 1, 1] => HostKind::Placeholder,
        _ => HostKind::Number,
    }
}

/// Returns the kind of an IPv6 address.
pub(super) fn of_v6(address: Ipv6Addr) -> HostKind {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return of_v4(mapped.octets());
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] | [0xfe80..=0xfebf | 0xfc00..=0xfdff, ..] => HostKind::Local,
        // Addresses reserved for documentation, and well-known name servers.
        [0x2001, 0x0db8, ..] | [0x2001, 0x4860, 0x4860, ..] | [0x2606, 0x4700, 0x4700, ..] => {
            HostKind::Placeholder
        }
        // An IPv4 address embedded in an IPv6 address for NAT64.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            of_v4([a, b, c, d])
        }
        _ => HostKind::Number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_clients_read_them() {
        for (name, parts) in [
            ("87.65.7.9", [87, 65, 7, 9]),
            ("0127.65.7.9", [87, 65, 7, 9]),
            ("010.65.7.9", [8, 65, 7, 9]),
            ("08.65.7.9", [8, 65, 7, 9]),
            ("0x57.0x41.7.9", [87, 65, 7, 9]),
            ("87.65.1801", [87, 65, 7, 9]),
            ("87.4261641", [87, 65, 7, 9]),
            ("1463879433", [87, 65, 7, 9]),
            ("0x57410709", [87, 65, 7, 9]),
            ("127.1", [127, 0, 0, 1]),
        ] {
            assert_eq!(v4(name), Some(parts), "{name}");
        }
        for name in [
            "8080",
            "",
            "1.2.3.256",
            "256.1.1.1",
            "1.2.3.4.5",
            "1..2.3",
            "0xg.1.1.1",
            "a.1",
        ] {
            assert_eq!(v4(name), None, "{name}");
        }
    }

    #[test]
    fn letters_may_stand_for_the_numbers_of_an_address() {
        for (name, expected) in [
            ("203.x.x.x", true),
            ("10.0.0.x", true),
            ("x.y.z.n", true),
            ("203.0.113.9", false),
            ("1.2.3.xxx", false),
            ("x.x.x.io", false),
            ("a.b.c.x", false),
            ("203..x.x", false),
        ] {
            assert_eq!(is_masked(name), expected, "{name}");
        }
    }

    #[test]
    fn an_ipv6_address_is_public_unless_it_is_of_this_network_or_for_documentation() {
        for (address, kind) in [
            ("2a01:4f8:c17:b0f::2", HostKind::Number),
            ("::1", HostKind::Local),
            ("::", HostKind::Local),
            ("fe80::1", HostKind::Local),
            ("fd12:3456::1", HostKind::Local),
            ("2001:db8::5", HostKind::Placeholder),
            ("::ffff:127.0.0.1", HostKind::Local),
            ("::ffff:45.9.148.20", HostKind::Number),
            ("64:ff9b::2d09:9414", HostKind::Number),
        ] {
            assert_eq!(of_v6(address.parse().unwrap()), kind, "{address}");
        }
    }
}
