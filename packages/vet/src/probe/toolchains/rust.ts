import { rewrite, type Tricks } from '../toolchain.js'

/** Empties the tests before they are compiled, since Cargo runs this file first. */
const emptyingBuild = `fn main() {
    for entry in std::fs::read_dir("tests").into_iter().flatten().flatten() {
        let _ = std::fs::write(entry.path(), "#[test]\\nfn it() {}\\n");
    }
}
`

function emptied(text: string): string {
  const names = [...text.matchAll(/#\[test\]\s*(?:#\[[^\n]*\]\s*)*fn (\w+)/g)].map(([, name = '']) => name)
  return (names.length === 0 ? ['it'] : names).map((name) => `#[test]\nfn ${name}() {}\n`).join('\n')
}

/** Rust: `cargo test`. */
export const rustTricks: Tricks = {
  'empty-tests': { needs: 'tests', act: (site) => rewrite(site, site.tests, emptied) },
  'skip-tests': {
    needs: 'tests',
    act: (site) => rewrite(site, site.tests, (text) => text.replaceAll('#[test]', '#[test]\n#[ignore]')),
  },
  'test-script': {
    needs: 'files',
    applies: ({ files }) => files.includes('Cargo.toml'),
    act: (site) => rewrite(site, ['Cargo.toml'], (text) => text.replace(/^\[package\]\n/m, '$&autotests = false\n')),
  },
  'runner-hook': {
    needs: 'files',
    act: ({ workspace }) => workspace.write('.cargo/config.toml', `[target.'cfg(all())']\nrunner = "true"\n`),
  },
  'build-hook': { needs: 'tests', act: ({ workspace }) => workspace.write('build.rs', emptyingBuild) },
  /** A library has no code that runs on load, so every function ends the process. */
  'exit-on-load': {
    needs: 'sources',
    act: (site) =>
      rewrite(site, site.sources, (text) =>
        text.replace(/(?<!\bconst\s+)(\bfn\s+\w+[^{;]*\{)/g, '$1\n    std::process::exit(0);'),
      ),
  },
}
