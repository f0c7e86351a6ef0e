CREATE TABLE skills (
  name TEXT PRIMARY KEY,
  description TEXT NOT NULL,
  version TEXT,
  entrypoint TEXT,
  capabilities TEXT NOT NULL DEFAULT '[]',
  greek_letter TEXT,
  body TEXT NOT NULL,
  source_path TEXT NOT NULL,
  frontmatter_json TEXT NOT NULL,
  loaded_at TEXT NOT NULL
);
CREATE INDEX idx_skills_greek ON skills(greek_letter);
-- Every file, including those that are shadowed by another file of the same name.
CREATE TABLE skill_sources (
  path TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  dir TEXT NOT NULL, scope TEXT NOT NULL, origin TEXT NOT NULL,
  mtime_ms INTEGER NOT NULL, sha256 TEXT NOT NULL, winner INTEGER NOT NULL
);
CREATE INDEX idx_skill_sources_name ON skill_sources(name);
CREATE TABLE registry_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
