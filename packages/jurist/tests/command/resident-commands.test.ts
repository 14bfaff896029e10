import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { configOf, project, yamlConfigOf } from '../project.js'

const stray = configOf({
  agent: "async () => { setTimeout(() => { throw new Error('stray') }); await new Promise(() => {}) }",
})

test.each([
  [['--version']],
  [['run', '--help']],
  [['rnu']],
  [['validate']],
  [['run', '--dry-run', '--json']],
  [['list', '--results', 'nowhere']],
  [['validate', '-c', 'code.config.mjs']],
  [['run', '-c', 'missing.yaml']],
  [['judge', '-', '--jury', 'jury.yaml']],
])('jurist %j says the same in a resident process as in one of its own, and the second time', async (argv) => {
  using made = project({ 'jurist.config.yaml': yamlConfigOf(), 'code.config.mjs': configOf({}) })
  const alone = await made.start(...argv).ended
  expect([await made.jurist(...argv), await made.jurist(...argv)]).toEqual([alone, alone])
})

test('a command sees the config, the variables and the directory of its own project only', async () => {
  const config = 'console.log(process.cwd(), process.env.MINE)\n'
  for (const text of ['one', 'two']) {
    using made = project({ 'jurist.config.mjs': `${config}${configOf({})}` })
    const { stdout } = await made.juristWith(text === 'one' ? { MINE: 'mine' } : {}, 'validate')
    expect(stdout).toContain(`${made.directory} ${text === 'one' ? 'mine' : 'undefined'}\n`)
    made.write({ 'jurist.config.mjs': `console.log('changed')\n${configOf({})}` })
    expect((await made.jurist('validate')).stdout).toContain('changed\n')
  }
})

test('an error that nothing catches ends the process, and the next command has another', async () => {
  using made = project({ 'jurist.config.mjs': stray })
  const { code, stderr } = await made.jurist('run')
  expect([code, stderr]).toEqual([3, expect.stringContaining('stray. Nothing caught this error.')])
  expect((await made.jurist('--version')).code).toBe(0)
})

test('a config whose import is missing leaves the next config of the process as it is', async () => {
  using broken = project({ 'jurist.config.mjs': "import 'jurist'\nimport './missing.mjs'\n", 'node_modules/x': '' })
  const jurist = dirname(createRequire(import.meta.url).resolve('jurist/package.json'))
  symlinkSync(jurist, join(broken.directory, 'node_modules/jurist'))
  using sound = project({ 'jurist.config.ts': `import 'jurist'\n${configOf({})}` })
  // A process that has not loaded the package yet.
  const child = fork(fileURLToPath(new URL('../resident-command.mjs', import.meta.url)), { silent: true, execArgv: [] })
  await once(child, 'message')
  const codes = [await codeIn(child, broken.directory), await codeIn(child, sound.directory)]
  child.kill()
  expect(codes).toEqual([1, 0])
})

/** The exit code of `jurist validate` in a directory. */
async function codeIn(child: ChildProcess, cwd: string): Promise<number | null> {
  child.send({ argv: ['validate'], cwd, env: {}, stdin: '', mark: '-' })
  const [{ code }] = await once(child, 'message')
  return code
}
