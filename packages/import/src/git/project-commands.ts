import type { Git } from '@jurist/workspace/internal'
import type { SetupCommand } from '../new-project.js'

/**
 * Splits a command that needs no shell at its spaces, except in quotes. Returns `undefined` if it needs a shell for a
 * pipe, a variable, a pattern or a second command.
 */
export function splitWords(line: string): readonly string[] | undefined {
  const word = /\s*(?:'([^']*)'|"([^"\\$`]*)"|([^\s'"|&;<>$`\\*?()#~]+))(?=\s|$)/y
  const words: string[] = []
  const text = line.trim()
  while (word.lastIndex < text.length) {
    const found = word.exec(text)
    if (found === null) return undefined
    words.push(found.slice(1).find((one) => one !== undefined) ?? '')
  }
  return words.length === 0 || /^\w+=/.test(words[0] ?? '') ? undefined : words
}

/** The Python of a virtual environment that works in any directory. */
const venvPython = '.venv/bin/python'

const npm = 'npm ci --no-audit --no-fund'
const venv = 'python3 -m venv --copies --system-site-packages .venv'

type Installer = readonly [when: string, line: string, inputs: readonly string[], keeps: string]

/** The installers by the file that a commit contains. The first match counts, so lock files come before manifests. */
const installers: readonly Installer[] = [
  ['package-lock.json', npm, ['package.json'], 'node_modules'],
  ['npm-shrinkwrap.json', npm, ['package.json'], 'node_modules'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile', ['package.json'], 'node_modules'],
  ['yarn.lock', 'yarn install --frozen-lockfile', ['package.json'], 'node_modules'],
  ['bun.lock', 'bun install --frozen-lockfile', ['package.json'], 'node_modules'],
  ['package.json', 'npm install --no-audit --no-fund --no-package-lock', [], 'node_modules'],
  ['requirements.txt', `${venv} && ${venvPython} -m pip install --quiet -r requirements.txt`, [], '.venv'],
]

/** Files that decide which packages are installed. */
const setupInputs: readonly string[] = [
  ...installers.map(([when]) => when),
  'pyproject.toml',
  'setup.py',
  'requirements-dev.txt',
  'poetry.lock',
  'uv.lock',
]

/**
 * Returns the setups of a project. Each commit uses the first one that fits its files.
 *
 * @param given the command of the caller; `none` for no setup; `undefined` for the usual ones
 * @param ever the files of `setupInputs` that some commit has at its root
 * @returns `undefined` if nothing has to be installed
 */
export function setupCommands(
  given: string | undefined,
  keeps: readonly string[],
  ever: ReadonlySet<string>,
): SetupCommand | readonly SetupCommand[] | undefined {
  if (given === 'none') return undefined
  if (given !== undefined)
    return {
      command: splitWords(given) ?? given,
      inputs: setupInputs.filter((path) => ever.has(path)),
      keeps: keeps.length > 0 ? keeps : [ever.has('package.json') ? 'node_modules' : '.venv'],
    }
  const found = installers.filter(([when]) => ever.has(when))
  if (found.length === 0) return undefined
  return found.map(([when, line, inputs, filled]) => ({
    ...{ when, command: splitWords(line) ?? line, inputs: [...inputs, when] },
    keeps: keeps.length > 0 ? keeps : [filled],
  }))
}

/**
 * Returns the files of `setupInputs` that some commit of a branch has at its root. A `package.json` that never names a
 * package does not count.
 *
 * @throws `git-failed`
 */
export async function setupInputsOf(git: Git, branch = 'HEAD'): Promise<ReadonlySet<string>> {
  const changed = async (options: readonly string[], paths: readonly string[]) => {
    const names = await git([
      ...[
        '--literal-pathspecs',
        'log',
        '--first-parent',
        '--diff-merges=first-parent',
        '--format=',
        '--name-only',
        '-z',
      ],
      ...[...options, '--end-of-options', branch, '--', ...paths],
    ])
    return names.split('\0').map((name) => name.trim())
  }
  const manifest = 'package.json'
  const others = setupInputs.filter((path) => path !== manifest)
  const dependencies = ['-G', '"(dev|optional)?[dD]ependencies"[[:space:]]*:']
  const found = [...(await changed([], others)), ...(await changed(dependencies, [manifest]))]
  return new Set(found.filter((name) => name !== ''))
}

export interface TestCommand {
  /** The command as messages show it. */
  readonly shown: string
  /** The options of a judge that runs the given test files, or all tests if the command names no files. */
  readonly judge: (files: readonly string[]) => Readonly<Record<string, unknown>>
}

/** The files at the root of a project. */
export interface ProjectRoot {
  readonly paths: ReadonlySet<string>
  /** The text of `package.json`, if it exists. */
  readonly packageJson: string | undefined
}

/** The placeholder for the names of test files in a command. */
const files = '{files}'

const type = 'tests-pass'

export async function projectRoot(git: Git, commit: string): Promise<ProjectRoot> {
  const names = await git(['ls-tree', '-z', '--name-only', '--full-tree', commit])
  const paths = new Set(names.split('\0'))
  const packageJson = paths.has('package.json') ? await git(['show', `${commit}:package.json`]) : undefined
  return { paths, packageJson }
}

/** Runners that take test files as arguments after their options. */
const takesFiles = /^(?:npx )?(vitest run|jest|mocha|node --test|ava|tap)((?: --?[\w-]+(?:=[^\s'"$`]+)?)*)$/

/**
 * Chooses the test command of a project by its files; `undefined` if none is known.
 *
 * @param setup the caller's command for installing packages
 */
export function usualTestCommand({ paths, packageJson }: ProjectRoot, setup?: string): TestCommand | undefined {
  const script = scriptOf(packageJson)
  if (script !== undefined) return testCommand(lineOfScript(script))
  const python = ['pyproject.toml', 'setup.py', 'setup.cfg', 'pytest.ini', 'tox.ini']
  if (setup === undefined && paths.has('requirements.txt') && !paths.has('package.json'))
    return testCommand(`${venvPython} -m pytest ${files}`)
  if (python.some((name) => paths.has(name))) return testCommand(`pytest ${files}`)
  if (paths.has('go.mod')) return testCommand('go test ./...')
  if (paths.has('Cargo.toml')) return testCommand('cargo test')
  if (paths.has('pom.xml')) return testCommand('mvn test')
  if (paths.has('build.gradle') || paths.has('build.gradle.kts')) return testCommand('gradle test')
  return undefined
}

/**
 * Runs only the test files of a commit if possible: the step of a script that takes test files, without the other
 * steps.
 */
function lineOfScript(script: string): string {
  const steps = script.split('&&').map((step) => takesFiles.exec(step.trim()))
  const [first] = steps
  if (steps.length === 1 && first) return `npm test -- ${files}`
  const [, runner, options] = steps.find((step) => step !== null) ?? []
  if (runner === undefined) return 'npm test'
  return `${runner.startsWith('node') ? '' : 'npx '}${runner}${options} ${files}`
}

function scriptOf(packageJson: string | undefined): string | undefined {
  if (packageJson === undefined) return undefined
  try {
    const { scripts } = JSON.parse(packageJson) as { readonly scripts?: { readonly test?: unknown } }
    return typeof scripts?.test === 'string' && !/no test specified/.test(scripts.test) ? scripts.test : undefined
  } catch {
    return undefined
  }
}

/** Tools with a judge that reads their report, by the beginning of the command. */
const tools: readonly (readonly [words: readonly string[], tool: string])[] = [
  ...['npm', 'pnpm', 'yarn'].flatMap((tool) => [[[tool, 'run'], tool] as const, [[tool], tool] as const]),
  ...['pytest', 'go', 'cargo', 'gradle'].map((tool) => [[tool], tool] as const),
  [['mvn'], 'maven'],
  [['./mvnw'], 'maven'],
  [['./gradlew'], 'gradle'],
]

/**
 * Options that make a runner without such a judge write the names of its tests to a file, which other output cannot
 * reach.
 */
const reporting: readonly (readonly [runner: RegExp, flags: readonly string[], file: string])[] = [
  [/^(npx )?jest\b/, ['--json', '--outputFile=jest-report.json'], 'jest-report.json'],
  [/^(npx )?vitest run\b/, ['--reporter=json', '--outputFile=vitest-report.json'], 'vitest-report.json'],
  [/^\S*python3? -m pytest\b/, ['--junitxml=junit.xml'], 'junit.xml'],
]

/** Adds the options for a report unless the command has them already. */
export function reported(words: readonly string[]): { readonly command: readonly string[]; readonly reports?: string } {
  const [, flags = [], reports] = reporting.find(([runner]) => runner.test(words.join(' '))) ?? []
  const isAsked = flags.some((flag) => words.some((word) => word.startsWith(flag.split('=')[0] ?? flag)))
  return reports === undefined || isAsked ? { command: words } : { command: [...words, ...flags], reports }
}

/** Reads a test command from a string such as `pytest {files}` or `npm test`. */
export function testCommand(text: string): TestCommand {
  const words = splitWords(text)
  if (words === undefined) return { shown: text, judge: (names) => ({ type, command: fileList(text, names) }) }
  const filled = (names: readonly string[]) => words.flatMap((word) => (word === files ? names : [word]))
  const [start, tool] = tools.find(([begin]) => begin.every((word, at) => words[at] === word)) ?? []
  if (start === undefined || tool === undefined)
    return { shown: text, judge: (names) => ({ type, ...reported(filled(names)) }) }
  return { shown: text, judge: (names) => ({ type, tool, arguments: filled(names).slice(start.length) }) }
}

/** Inserts file names into a shell line. */
export function fileList(line: string, names: readonly string[]): string {
  return line.replaceAll(files, names.map((name) => `'${name.replaceAll("'", "'\\''")}'`).join(' '))
}

/** Files at the root that decide which tests run and how. They come from the commit, like its tests. */
const steering =
  /^(package\.json|pyproject\.toml|setup\.cfg|pytest\.ini|tox\.ini|conftest\.py|Makefile|pom\.xml|(build|settings)\.gradle(\.kts)?|(vitest|vite|jest|ava|babel)\.config\..+|\.(mocharc|taprc|babelrc|swcrc)(\..+)?)$/

export function steeringPaths(tree: readonly string[]): readonly string[] {
  return tree.filter((path) => steering.test(path))
}
