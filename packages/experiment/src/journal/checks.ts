import { isTestFile } from '@jurist/kit/code-languages'
import { groupBy } from '@jurist/kit/group-by'
import { programName, shellParts } from './shell-parts.js'

/** Something that a check can show. */
export type CheckKind = 'tests' | 'build' | 'types' | 'lint'

/** Programs, what their arguments begin with or contain, and the kinds. The first that fits applies. */
const programs: readonly (readonly [names: string, args: RegExp, kinds: readonly CheckKind[]])[] = [
  [
    'vitest jest mocha ava tap tape jasmine karma pytest py.test tox nox rspec phpunit ctest nextest bats',
    /^/,
    ['tests'],
  ],
  ['playwright cypress bun deno swift flutter dart', /^test/, ['tests']],
  ['node', /^(?:.* )?--test/, ['tests']],
  ['python', /^-m (?:pytest|unittest|nose|doctest|tox|nox)/, ['tests']],
  ['python', /^(?:\S*\/)?(?:manage\.py test|runtests\.py)/, ['tests']],
  ['cargo', /^(?:test|nextest)/, ['tests', 'build', 'types']],
  ['cargo', /^(?:build|check)/, ['build', 'types']],
  ['cargo', /^clippy/, ['lint', 'build', 'types']],
  ['go dotnet', /^test/, ['tests', 'build', 'types']],
  ['mix', /^(?:.* )?test(?:$|[ .])/, ['tests', 'build', 'types']],
  ['mix', /^compile/, ['build', 'types']],
  ['mix', /^dialyzer/, ['types']],
  ['mix', /^(?:credo|format --check-formatted)/, ['lint']],
  ['go', /^(?:build|vet)/, ['build', 'types']],
  ['dotnet', /^build/, ['build', 'types']],
  [
    'mvn mvnw gradle gradlew',
    /^(?:.* )?(?:test|verify|check|integrationTest|package|install)(?: |$)/,
    ['tests', 'build', 'types'],
  ],
  ['mvn mvnw gradle gradlew', /^(?:.* )?(?:compile|build|assemble|classes)(?: |$)/, ['build', 'types']],
  ['tsc', /^(?:.* )?(?:-b|--build)/, ['build', 'types']],
  ['tsc vue-tsc mypy pyright basedpyright flow', /^/, ['types']],
  ['python', /^-m mypy/, ['types']],
  ['vite webpack rollup rolldown esbuild tsup next nuxt', /^(?:.* )?build/, ['build']],
  ['python', /^-m (?:build|compileall|py_compile)/, ['build']],
  ['javac gcc g++ clang clang++ rustc cmake', /^/, ['build']],
  [
    'eslint biome oxlint ruff flake8 pylint black prettier stylelint golangci-lint rubocop shellcheck standard xo',
    /^/,
    ['lint'],
  ],
]
const byProgram = groupBy(
  programs.flatMap(([names, args, kinds]) => names.split(' ').map((name) => ({ name, args, kinds }))),
  ({ name }) => name,
)
/** The kinds of checks that the name of a script or target indicates. */
const names: readonly (readonly [name: RegExp, kinds: readonly CheckKind[]])[] = [
  [/(?:^|[:_-])(?:ci|verify|validate|check-all|all-checks)(?:$|[:_-])/, ['tests', 'build', 'types', 'lint']],
  [/(?:^|[:_-])(?:tests?|spec|e2e|unit|coverage)(?:$|[:_-])/, ['tests']],
  [/(?:^|[:_-])(?:type-?check|types|tsc)(?:$|[:_-])/, ['types']],
  [/(?:^|[:_-])(?:lint|format|style)(?:$|[:_-])/, ['lint']],
  [/(?:^|[:_-])(?:build|compile|dist)(?:$|[:_-])/, ['build']],
]
const maxDepth = 4

/**
 * The kinds of check that a command runs: a known program, or a script of the manifest or a target of a Makefile by its
 * name and by what it runs. Empty for everything else, such as `ls tests` or `git commit -m tests`.
 */
export function checkKinds(
  words: readonly string[],
  scripts: Readonly<Record<string, string>> = {},
  depth = 0,
): readonly CheckKind[] {
  const [program = '', ...rest] = words
  const name = programName(program).replace(/^(mvnw|gradlew)\b.*/, '$1')
  if (/^(?:npx|bunx|pnpx|uvx|pipx)$/.test(name))
    return checkKinds(
      rest.filter((word, index) => index > 0 || !/^(?:-y|--yes|run)$/.test(word)),
      scripts,
      depth + 1,
    )
  if (/^(?:uv|poetry|pdm|hatch|rye|pipenv|bundle|dotenv)$/.test(name) && /^(?:run|exec)$/.test(rest[0] ?? ''))
    return checkKinds(rest.slice(1), scripts, depth + 1)
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) return scriptKinds(rest, scripts, depth)
  if (name === 'make' || name === 'just' || name === 'task')
    return named(rest.find((word) => !word.startsWith('-')) ?? 'build')
  const script = /^(?:ba|z|da)?sh$/.test(name) ? rest.find((word) => !word.startsWith('-')) : program
  if (/\.(?:sh|bash)$/.test(script ?? '')) return named(programName(script ?? '').replace(/\.\w+$/, ''))
  const line = rest.join(' ')
  const known = byProgram.get(name.startsWith('python') ? 'python' : name)?.find(({ args }) => args.test(line))
  if (known !== undefined) return known.kinds
  if (!/^(?:node|deno|bun|tsx|ruby|php|python[\d.]*)$/.test(name)) return []
  const file = rest.find((word) => /\.(?:[cm]?[jt]s|py|rb|php)$/.test(word)) ?? ''
  return isTestFile(file) ? ['tests'] : named(programName(file).replace(/\.\w+$/, ''))
}

/** Whether a command line runs a check. */
export function runsCheck(command: string): boolean {
  return shellParts(command).parts.some(({ words }) => checkKinds(words).length > 0)
}

function scriptKinds(
  words: readonly string[],
  scripts: Readonly<Record<string, string>>,
  depth: number,
): readonly CheckKind[] {
  const given = words.filter((word) => !word.startsWith('-'))
  const [verb = '', next = ''] = given
  if (/^(?:exec|dlx|x)$/.test(verb)) return checkKinds(given.slice(1), scripts, depth + 1)
  if (
    /^(?:install|i|ci|add|remove|publish|pack|init|link|update|up|view|info|config|why|audit|outdated|ls|list)$/.test(
      verb,
    )
  )
    return []
  const script = /^(?:run|run-script)$/.test(verb) ? next : /^(?:t|tst)$/.test(verb) ? 'test' : verb
  const text = Object.hasOwn(scripts, script) ? scripts[script] : undefined
  const inside =
    text === undefined || depth >= maxDepth
      ? []
      : text.split(/&&|\|\||;/).flatMap((line) => checkKinds(line.trim().split(/\s+/), scripts, depth + 1))
  return [...new Set([...named(script), ...inside])]
}

function named(name: string): readonly CheckKind[] {
  return name === 'check' ? ['tests', 'types', 'lint', 'build'] : (names.find(([form]) => form.test(name))?.[1] ?? [])
}
