import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'packages/jurist/dist/command/main.js')
const home = mkdtempSync(join(tmpdir(), 'jurist-own-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const project = join(home, 'my-project')
const right = 'export const sum = (a, b) => Number(a) + Number(b)\n'
const head = `import assert from 'node:assert'
import { test } from 'node:test'
import { sum } from '../src/sum.js'
`

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(resolve(project, path, '..'), { recursive: true })
    writeFileSync(join(project, path), text)
  }
}

function commit(message: string, files: Readonly<Record<string, string>>): void {
  write(files)
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { stdio: 'ignore' })
  git('add', '--all')
  git('commit', '--quiet', '--message', message)
}

/** A program called `claude` that does what the one task wants. */
function scriptedAgent(): string {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const program = `#!/usr/bin/env node\nrequire('node:fs').writeFileSync('src/sum.js', ${JSON.stringify(right)})\n`
  writeFileSync(join(bin, 'claude'), program)
  chmodSync(join(bin, 'claude'), 0o755)
  return bin
}

interface Ran {
  readonly code: number
  readonly stdout: string
}

function run(words: readonly string[], cwd: string, stdin = ''): Promise<Ran> {
  const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' }
  return new Promise((done) => {
    const child = execFile(process.execPath, words, { cwd, env }, (error, stdout) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout })
    })
    child.stdin?.end(stdin)
  })
}

/** The lines of the story in the README, without their comments. */
function story(): readonly string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const block = /```sh\n(cd my-project\n[\s\S]*?)```/.exec(readme)?.[1] ?? ''
  return block.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/\s+#.*/, '')]))
}

/** What the commands print that take a while, in their shortest form. */
const shorter: Readonly<Record<string, readonly string[]>> = {
  import: ['--repeat', '1'],
  vet: ['--quick', '--json'],
}

test('the README goes from a repository to a benchmark, its proof, and a jury that stops an agent', async () => {
  mkdirSync(project)
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', project])
  const adds = "test('adds', () => assert.equal(sum(1, 2), 3))\n"
  const texts = "test('adds texts', () => assert.equal(sum('1', '2'), 3))\n"
  commit('A function that adds', {
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'src/sum.js': 'export const sum = (a, b) => a + b\n',
    'test/sum.test.js': `${head}${adds}`,
  })
  commit('Numbers in texts are added as numbers', {
    'src/sum.js': right,
    'test/sum.test.js': `${head}${adds}${texts}`,
  })
  scriptedAgent()
  const printed = new Map<string, Ran>()
  let cwd = home
  for (const line of story()) {
    const [program, ...words] = line.split(' ')
    if (program === 'cd') cwd = resolve(cwd, words[0] ?? '')
    else {
      const name = words.find((word) => ['import', 'vet', 'run', 'hook'].includes(word)) ?? ''
      printed.set(name, await run([command, ...words.slice(1), ...(shorter[name] ?? [])], cwd))
    }
  }
  expect([...printed].map(([name, { code }]) => [name, code])).toEqual([
    ['import', 0],
    ['vet', 0],
    ['run', 0],
    ['hook', 0],
  ])
  expect(printed.get('import')?.stdout).toContain('1 item of 2 commits')
  const card = JSON.parse(printed.get('vet')?.stdout ?? '{}')
  expect(card.solvable).toMatchObject({ count: 1, of: 1 })
  expect(card.trivial).toMatchObject({ count: 0, of: 1 })
  expect(printed.get('run')?.stdout).toContain('1 of 1 decided')

  const settings = JSON.parse(readFileSync(join(project, '.claude/settings.json'), 'utf8'))
  const asked = (event: 'SessionStart' | 'Stop') => {
    const installed: string = settings.hooks[event][0].hooks[0].command
    const about = { session_id: 'one', transcript_path: '', cwd: project, hook_event_name: event }
    return run(installed.split(' ').slice(1), project, JSON.stringify({ ...about, stop_hook_active: false }))
  }
  await asked('SessionStart')
  write({ 'src/sum.js': 'export const sum = (a, b) => a - b\n' })
  expect(JSON.parse((await asked('Stop')).stdout)).toMatchObject({ decision: 'block' })
  write({ 'src/sum.js': right })
  expect(JSON.parse((await asked('Stop')).stdout)).toEqual({})
})
