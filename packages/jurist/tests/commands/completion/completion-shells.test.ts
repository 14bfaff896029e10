import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { completionScript, type Shell, shells } from '../../../src/commands/completion/shells.js'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const has = (program: string) => spawnSync(program, ['--version']).error === undefined
/** Gives a program its own terminal. */
const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

/** Names that a shell would interpret, and two that cannot be typed. */
const names = [
  'with space',
  "it's $HOME",
  'dollar$(touch pwned)',
  'tick`touch pwned`',
  'semi;touch pwned;',
  'double"quote',
  'bang!bang',
  'back\\slash',
  'star*?[a]{b,c}~',
  'colon:at@is=x',
  'übergröße',
]
const untypable = ['line\nbreak', 'escape\u001b[2J']

const config = `experiments:
  demo:
    dataset: ${JSON.stringify([...names, ...untypable].map((id) => ({ id, task: 'Say yes.' })))}
    agent: { command: ["true"] }
    jury: { type: output-text, contains: "yes" }
`

/**
 * A jurist on the PATH. What a shell asks it goes through one named pipe to a command that is loaded already, and the answer
 * comes back through another. Otherwise it writes its words into a file, each with a null character behind it.
 */
const stub = `#!/bin/sh
if [ "$1" = __complete ]; then
  printf '%s\\0' "$@" > asked
  exec cat answered
fi
{ printf '%s\\0' "$@"; printf '\\n\\0'; } >> words
`

function stubbed(more: Readonly<Record<string, string>> = {}): Project {
  const made = project({ 'jurist.config.yaml': config, 'bin/jurist': stub, 'home/.keep': '', ...more })
  chmodSync(join(made.directory, 'bin/jurist'), 0o755)
  for (const shell of shells) made.write({ [`completion.${shell}`]: completionScript(shell, ['false']) })
  execFileSync('mkfifo', ['asked', 'answered'], { cwd: made.directory })
  return made
}

/** Answers what shells ask until nothing is asked. */
async function answer(made: Project): Promise<void> {
  for (;;) {
    const words = (await readFile(join(made.directory, 'asked'), 'utf8')).split('\0').slice(0, -1)
    if (words.length === 0) return
    await writeFile(join(made.directory, 'answered'), (await made.jurist(...words)).stdout)
  }
}

const starts: { readonly [shell in Shell]: string } = {
  bash: 'bash --norc --noprofile -i',
  zsh: 'zsh -f -i',
  fish: 'fish --no-config -i',
}

/** The words that `jurist` receives when lines are typed into a shell. `\t` asks for completion. */
async function typed(made: Project, shell: Shell, lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const file = join(made.directory, 'words')
  const env = {
    PATH: `${join(made.directory, 'bin')}:${process.env.PATH}`,
    HOME: join(made.directory, 'home'),
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    PS1: '> ',
  }
  const child = spawn('script', ['-qec', starts[shell], '/dev/null'], { cwd: made.directory, env })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (shown += text))
  child.stdin.on('error', () => undefined)
  child.stdin.write([`source ./completion.${shell}`, ...lines, 'exit', ''].join('\r'))
  const answering = answer(made)
  await new Promise((resolve) => child.on('close', resolve))
  await writeFile(join(made.directory, 'asked'), '')
  await answering
  if (!existsSync(file)) throw new Error(`${shell} did not start jurist:\n${shown}`)
  return readFileSync(file, 'utf8')
    .split('\0\n\0')
    .slice(0, -1)
    .map((line) => line.split('\0'))
}

/** Lines, and the words that arrive. */
const typing: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['jurist valid\tde\t--str\t', ['validate', 'demo', '--strict']],
  ['jurist run --preserve fai\t', ['run', '--preserve', 'failed']],
  // The beginning of each name is unique.
  ...names.map(
    (name) => [`jurist run --item ${name.slice(0, 3).replace("'", '')}\t`, ['run', '--item', name]] as const,
  ),
  ...["'dol\t", '"dol\t', 'dollar\\$\t'].map(
    (line) => [`jurist run -i ${line}`, ['run', '-i', names[2] ?? '']] as const,
  ),
  ...["'it\t", '"it\t'].map((line) => [`jurist run -i ${line}`, ['run', '-i', names[1] ?? '']] as const),
  // No flag and no item: nothing is offered, and the line stays.
  ['jurist run --item nothing\t', ['run', '--item', 'nothing']],
  ['jurist run --item line\t', ['run', '--item', 'line']],
  ['jurist run --require-certificate certif\t', ['run', '--require-certificate', 'certificate.json']],
]

describe.skipIf(onPostgres || !hasScript)('completion in real shells (needs script of util-linux)', () => {
  for (const shell of shells)
    test.skipIf(!has(shell))(`${shell} (skipped where it is not installed)`, async () => {
      using made = stubbed({ 'certificate.json': '{}' })
      const arrived = await typed(
        made,
        shell,
        typing.map(([line]) => line),
      )
      expect(arrived).toEqual(typing.map(([, words]) => words))
      expect(existsSync(join(made.directory, 'pwned'))).toBe(false)
    })

  test.skipIf(!has('bash'))('completing a line runs nothing that is on it', async () => {
    using made = stubbed()
    // Ctrl-U empties the line before it is entered.
    await typed(made, 'bash', [
      'jurist run --item $(touch pwned)\t\u0015jurist run -i `touch pwned`w\t\u0015jurist list',
    ])
    expect(existsSync(join(made.directory, 'pwned'))).toBe(false)
  })
})
