import { describe, expect, test } from 'vitest'
import { type Project, project } from '../project.js'

const yaml = (agent: string, rest = '') => `experiments:
  demo:
    dataset: [{ id: one, task: Say yes. }, { id: two, task: Say yes. }]
    agent: ${agent}
    jury: { type: output-text, contains: "yes" }
    ${rest}
`
const code = (agent: string) => `import { defineConfig, outputText } from 'jurist'
import { commandAgent } from 'jurist/command'
export default defineConfig({ experiments: { demo: {
  dataset: [{ id: 'one', task: 'Say yes.' }, { id: 'two', task: 'Say yes.' }],
  agent: commandAgent(${agent}),
  jury: outputText({ contains: 'yes' }),
} } })
`
const itemsOf = async (made: Project) => JSON.parse((await made.jurist('show', 'latest', '--json')).stdout).items

describe.concurrent('a command in YAML is the command agent of code', () => {
  test.each([
    ['yaml', yaml('{ command: [no-such-program-here] }', 'retries: { attempts: 1 }')],
    ['mjs', code('{ command: ["no-such-program-here"] }')],
  ])('a missing program is undecided (%s)', async (kind, config) => {
    using made = project({ [`jurist.config.${kind}`]: config })
    const { code: ended, stdout, stderr } = await made.jurist('run', '--retries', '1')
    expect([ended, stdout]).toEqual([1, expect.stringContaining('0 of 0 decided')])
    expect(stderr).toContain('no agent completed (2 ended in an error)')
    expect(stderr).toContain('no-such-program-here could not be started')
    const [item] = await itemsOf(made)
    expect(item).toMatchObject({ agent: 'error', passed: null, failure: { code: 'agent-start', infrastructure: true } })
  })

  test('a missing program is undecided even where juries judge failed agents', async () => {
    const config = yaml('{ command: [no-such-program-here] }', 'judgeFailedRuns: true')
    using made = project({ 'jurist.config.yaml': config })
    const { code: ended, stdout } = await made.jurist('run', '--retries', '1')
    expect([ended, stdout]).toEqual([1, expect.stringContaining('0 of 0 decided')])
    const [item] = await itemsOf(made)
    expect(item).toMatchObject({ agent: 'error', judged: 'fail', passed: null, failure: { infrastructure: true } })
  })

  test('a command that is a string is refused with an array that would do', async () => {
    using made = project({ 'jurist.config.yaml': yaml('{ command: sh agent.sh }') })
    const { code: ended, stderr } = await made.jurist('run')
    expect(ended).toBe(2)
    expect(stderr).toContain('must be a non-empty array (got "sh agent.sh").')
  })

  test.each([
    ['yaml', yaml('{ command: [node, agent.mjs] }')],
    ['mjs', code('{ command: ["node", new URL("./agent.mjs", import.meta.url).pathname] }')],
  ])('the reason of its failure is the line that says it (%s)', async (kind, config) => {
    using made = project({
      [`jurist.config.${kind}`]: config,
      'agent.mjs': 'throw new TypeError("no key for the model")',
    })
    const { stdout, stderr } = await made.jurist('run')
    expect(stdout).toContain('node ended with exit code 1: TypeError: no key for the model')
    expect(stderr).toContain(
      'no agent completed (2 ended in an error); the first: node ended with exit code 1: TypeError: no key',
    )
    const [item] = await itemsOf(made)
    expect(item).toMatchObject({ agent: 'error', passed: false, failure: { code: 'exit-1' } })
  })

  test('it reads JSON, takes the prompt, keeps a journal and has the options of code', async () => {
    const agent = `import { readFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
console.error('thinking')
console.log(JSON.stringify({ result: 'yes: ' + prompt + ' ' + process.argv.slice(2).join(' ') }))
process.exit(3)`
    const options =
      '{ command: [node, agent.mjs, { when: model, then: [--model, "{{model}}"] }], read: json, successCodes: [3] }'
    using made = project({ 'jurist.config.yaml': yaml(options, 'model: small'), 'agent.mjs': agent })
    const { code: ended } = await made.jurist('run')
    expect(ended).toBe(0)
    const [item] = await itemsOf(made)
    expect(item.detail.invocation.output.text).toBe('yes: Say yes. --model small')
    expect(item.journalPath).not.toBe(null)
    const { stdout: journal } = await made.jurist('show', 'latest', '--item', 'one', '--journal')
    expect(journal).toContain('thinking')
  })

  test('its prompt may go into a file, or nowhere, and its time has a limit', async () => {
    const agent = `import { readFileSync } from 'node:fs'
if (process.argv[2] === 'wait') setInterval(() => {}, 1000)
else console.log(process.argv[2] === 'file' ? readFileSync('task.md', 'utf8') : 'yes' + readFileSync(0, 'utf8'))`
    const experiment = (agent: string) => `dataset: [{ id: one, task: Say yes. }], agent: ${agent}`
    const config = `experiments:
  file: { ${experiment('{ command: [node, agent.mjs, file], promptFile: task.md }')} }
  none: { ${experiment('{ command: [node, agent.mjs, none], stdin: none }')} }
  late: { ${experiment('{ command: [node, agent.mjs, wait], timeoutMs: 300 }')} }
`
    using made = project({ 'jurist.config.yaml': config, 'agent.mjs': agent })
    const outputOf = async (name: string) => {
      await made.jurist('run', name)
      const [item] = JSON.parse((await made.jurist('show', name, '--json')).stdout).items
      return [item.agent, item.detail.invocation.output?.text]
    }
    expect(await outputOf('file')).toEqual(['completed', 'Say yes.'])
    expect(await outputOf('none')).toEqual(['completed', 'yes'])
    expect((await outputOf('late'))[0]).toBe('timeout')
  })

  test('a wrong option is named with its place', async () => {
    using made = project({ 'jurist.config.yaml': yaml('{ command: [node, "{{promt}}"], read: xml, stdn: prompt }') })
    const { code: ended, stderr } = await made.jurist('run')
    expect(ended).toBe(2)
    expect(stderr).toMatch(/experiments\.demo\.agent\.stdn.*Did you mean "stdin"/)
    expect(stderr).toMatch(/"read" must be/)
    using other = project({ 'jurist.config.yaml': yaml('{ command: [node, "{{promt}}"] }') })
    expect((await other.jurist('run')).stderr).toContain('uses the unknown variable "promt"')
  })
})

async function _latest(made: Project): Promise<string> {
  return JSON.parse((await made.jurist('show', 'latest', '--json')).stdout).id
}
