//! Hosts and folders that anyone can obtain from a service. Each belongs to a tenant. The name of the service does not
//! identify the tenant.

use super::is_below;
use super::lists::{BUCKETS, FOLDERS, PACKAGES};

/// Returns the tenant's name, or an empty string if the address does not contain the name; `None` if the host and the
/// path belong to the service itself.
///
/// `below`: the part of the name before a domain with tenants. `is_fetched`: whether a command downloads the address.
pub(super) fn tenant<'a>(
    name: &'a str,
    path: &'a str,
    below: Option<&'a str>,
    is_fetched: bool,
) -> Option<&'a str> {
    if let Some(below) = below {
        return Some(first(below));
    }
    let amazon = ["amazonaws.com", "amazonaws.com.cn"];
    if let Some(below) = amazon.iter().find_map(|domain| above(name, domain)) {
        return of_amazon(below, path);
    }
    if let Some(below) = above(name, "aliyuncs.com") {
        return of_aliyun(below, path);
    }
    if let Some(bucket) = above(name, "storage.googleapis.com") {
        return bucket_of(last(bucket));
    }
    if matches!(
        name,
        "storage.googleapis.com" | "storage.cloud.google.com" | "firebasestorage.googleapis.com"
    ) {
        let bucket = path.split_once("/b/").map_or(path, |(_, bucket)| bucket);
        return folder(bucket).and_then(bucket_of);
    }
    let folders = FOLDERS.iter().find_map(|(host, start)| {
        let rest = path.strip_prefix(start)?;
        is_below(name, host).then_some(rest)
    });
    if let Some(rest) = folders {
        return Some(folder(rest).unwrap_or_default());
    }
    if (is_fetched || is_program(path)) && PACKAGES.iter().any(|host| is_below(name, host)) {
        return Some(package(path));
    }
    None
}

/// Returns the part of a name before a domain.
fn above<'a>(name: &'a str, domain: &str) -> Option<&'a str> {
    let rest = name.strip_suffix(domain)?.strip_suffix('.')?;
    (!rest.is_empty()).then_some(rest)
}

fn first(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the first folder of a path.
fn folder(path: &str) -> Option<&str> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let folder = path.split(['/', '?', '#', '"', '\\']).next()?;
    (!folder.is_empty()).then_some(folder)
}

/// Returns the name of a bucket; `None` if a vendor owns the bucket.
fn bucket_of(name: &str) -> Option<&str> {
    (!BUCKETS.contains(&name)).then_some(name)
}

/// Returns the tenant of an Amazon host. `below`: the name without `amazonaws.com`.
fn of_amazon<'a>(below: &'a str, path: &'a str) -> Option<&'a str> {
    let is_storage = |label: &str| label == "s3" || label.starts_with("s3-");
    let labels: Vec<&str> = below.split('.').collect();
    let at = labels.iter().position(|label| {
        matches!(
            *label,
            "compute" | "compute-1" | "elb" | "execute-api" | "lambda-url"
        ) || is_storage(label)
    })?;
    let service = labels[at];
    match at.checked_sub(1).map(|before| labels[before]) {
        Some(bucket) if is_storage(service) => bucket_of(bucket),
        Some(_) => Some(first(below)),
        None if is_storage(service) => folder(path).and_then(bucket_of),
        None => None,
    }
}

/// Returns the tenant of an Alibaba Cloud host. `below`: the name without `aliyuncs.com`.
fn of_aliyun<'a>(below: &'a str, path: &'a str) -> Option<&'a str> {
    if let Some(owner) = above(below, "fc") {
        return Some(first(owner));
    }
    match below.rsplit_once('.') {
        Some((bucket, service)) if service.starts_with("oss-") => Some(last(bucket)),
        None if below.starts_with("oss-") => folder(path),
        _ => None,
    }
}

/// Returns the owner of a package at a site that serves anyone's packages: `/npm/@acme/tables@1.2/`,
/// `/gh/acme/tables/`.
fn package(path: &str) -> &str {
    let starts = ["/npm/", "/gh/"];
    let rest = starts.iter().find_map(|start| path.strip_prefix(start));
    let name = folder(rest.unwrap_or(path)).unwrap_or_default();
    let name = name.strip_prefix('@').unwrap_or(name);
    name.split('@').next().unwrap_or(name)
}

/// Returns whether a path leads to a program for a shell or an interpreter other than a browser.
fn is_program(path: &str) -> bool {
    const PROGRAMS: [&str; 12] = [
        "bash", "bat", "bin", "cmd", "command", "exe", "pl", "ps1", "py", "rb", "sh", "zsh",
    ];
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.rsplit_once('.')
        .is_some_and(|(_, end)| PROGRAMS.contains(&&*end.to_ascii_lowercase()))
}
