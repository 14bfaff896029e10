import { describe, expect, test } from 'vitest'
import { configOf, project } from '../project.js'

/** An agent whose second item throws where nothing can catch it, as long as the file `go` does not exist. */
const straying = (how: string) => `async ({ metadata }) => {
  const { existsSync } = await import('node:fs')
  if (metadata.itemId === 'two' && !existsSync('go')) {
    ${how}
    await new Promise((resolve) => setTimeout(resolve, 60_000))
  }
  return { status: 'completed', output: { type: 'text', text: 'yes' } }
}`
const timer = "setTimeout(() => { throw new Error('thrown in a timer') }, 10)"
const floating = "void Promise.reject(new Error('thrown by nobody'))"
const rest = 'concurrency: 1,'

describe.concurrent('an error of an agent that nothing catches', () => {
  test.each([
    ['thrown in a timer', timer],
    ['thrown by nobody', floating],
  ])('%s: code 3, what is stored, and the line that goes on', async (message, how) => {
    using made = project({ 'jurist.config.ts': configOf({ agent: straying(how), rest }) })
    const { code, stdout, stderr } = await made.jurist('run')
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain(`${message}. Nothing caught this error. Run `)
    expect(stderr).toMatch(/stopped with 1 of 2 trials stored\. Resume with: jurist run demo --resume \S+\n/)
    expect(stderr).not.toContain('    at ')
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('jurist: the tool failed (exit code 3)')
    const [, line = ''] = /Resume with: jurist (.*)/.exec(stderr) ?? []
    made.write({ go: '' })
    const resumed = await made.jurist(...line.split(' '))
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('2 of 2 decided')])
  })

  test('with --json one document, with --debug the stack', async () => {
    using made = project({ 'jurist.config.ts': configOf({ agent: straying(timer), rest }) })
    const { code, stdout, stderr } = await made.jurist('run', '--json', '--debug')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining('1 of 2 trials stored') } })
    expect(stderr).toContain('    at ')
  })

  test('in a session the line goes on with the whole of it', async () => {
    const config = configOf({ agent: straying(timer), rest: `${rest} variants: { control: {}, knowledge: {} },` })
    using made = project({ 'jurist.config.ts': config })
    const { code, stderr } = await made.jurist('run')
    expect(code).toBe(3)
    const [, line = ''] = /Resume with: jurist (run demo --session \S+ --resume)\n/.exec(stderr) ?? []
    expect(line).not.toBe('')
    made.write({ go: '' })
    const { sessions, results } = JSON.parse((await made.jurist(...line.split(' '), '--json')).stdout)
    expect([sessions.length, results.length]).toEqual([1, 2])
  })

  test('a judge: the command breaks off in words', async () => {
    const judge = `export default async () => { ${timer}; await new Promise((done) => setTimeout(done, 60_000)) }`
    using made = project({ 'judge.mjs': judge })
    const { code, stdout } = await made.jurist('judge', '.', '--jury', 'judge.mjs', '--json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout).error.message).toBe('thrown in a timer. Nothing caught this error.')
  })
})

// In processes of their own: they end them.
describe.concurrent('what ends the process before the command is an error, never a success', () => {
  test.each(['process.exit()', 'process.exit(0)', 'process.exit(1)'])('an agent that calls %s', async (how) => {
    using made = project({ 'jurist.config.ts': configOf({ agent: straying(how), rest }) })
    const { code, stdout, stderr } = await made.start('run').ended
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/ended before the command: .* called process\.exit\([01]?\).*\. Run /)
    expect(stderr).toContain('stopped with 1 of 2 trials stored. Resume with: jurist run demo --resume ')
    made.write({ go: '' })
    expect((await made.jurist('run', '--resume')).code).toBe(0)
  })

  test.each([
    ['process.exit(0)', 'called process.exit(0).'],
    ['await new Promise(() => {})', 'or waits for what never comes.'],
  ])('a config with %s', async (how, message) => {
    using made = project({ 'jurist.config.mjs': `${how}\nexport default {}\n` })
    const { code, stdout } = await made.start('validate', '--json').ended
    expect(code).toBe(3)
    expect(JSON.parse(stdout).error.message).toContain(message)
  })
})
