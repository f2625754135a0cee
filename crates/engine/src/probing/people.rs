//! Finding the personas of a probe: those that come with the program, or files and folders of one's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use carelock_core::problem::Problem;
use carelock_probe::{Observer, Persona, check, hints};

/// The word for the personas that come with the program.
const BUILTIN: &str = "builtin";

/// The personas that files, folders or the word `builtin` name; none named means `builtin`. `only` keeps those with these ids.
pub fn load(named: &[String], only: &[String]) -> Result<Vec<Persona>> {
    let mut found: BTreeMap<String, Persona> = BTreeMap::new();
    let builtin = [BUILTIN.to_owned()];
    for name in if named.is_empty() { &builtin[..] } else { named } {
        let personas = if name == BUILTIN { Persona::builtin()? } else { read(Path::new(name))? };
        for persona in personas {
            let id = persona.id.clone();
            if found.insert(id.clone(), persona).is_some() {
                bail!(
                    Problem::new(format!("{name}: a second persona is called {id:?}")).advice("give each its own id")
                );
            }
        }
    }
    for id in only {
        if !found.contains_key(id) {
            let fix = "`carelock personas` lists them";
            bail!(Problem::new(format!("there is no persona {id:?}")).advice(fix));
        }
    }
    let wanted = |persona: &Persona| only.is_empty() || only.contains(&persona.id);
    let found: Vec<Persona> = found.into_values().filter(wanted).collect();
    if found.is_empty() {
        bail!(Problem::new("there is no persona").advice("name files or folders of personas, or builtin"));
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Vec<Persona>> {
    let files = if path.is_dir() { in_folder(path)? } else { vec![path.to_owned()] };
    let one = |file: &PathBuf| -> Result<Persona> {
        let place = file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| format!("{place}: cannot be read"))?;
        Ok(Persona::parse(&place, &text)?)
    };
    files.iter().map(one).collect()
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    let entries = std::fs::read_dir(folder).with_context(|| format!("{shown}: cannot be read"))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("{shown}: cannot be read"))?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Everything that is wrong with personas.
pub fn check_all(personas: &[Persona], observer: &Observer) -> Vec<Problem> {
    personas.iter().flat_map(|persona| check(persona, observer)).collect()
}

/// Hints for the writers of personas: where the embedded judge sees another danger than the head of the file promises.
pub fn hints_on_all(personas: &[Persona], observer: &Observer) -> Vec<Problem> {
    personas.iter().flat_map(|persona| hints(persona, observer)).collect()
}
