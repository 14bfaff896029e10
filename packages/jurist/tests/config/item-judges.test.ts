import { describe, expect, test } from 'vitest'
import { project } from '../project.js'

const config = `
juries:
  short:
    judges: { size: { type: output-text, matches: "^.{0,20}$" } }
experiments:
  echo:
    dataset: dataset
    agent: { command: [cat] }
    jury:
      judges: { answered: { type: output-text, matches: "[a-z]" } }
`

const item = (fields: object) =>
  JSON.stringify({ developerTask: 'say hello', metadata: { workspace: 'none' }, ...fields })

function files(items: Readonly<Record<string, object>>): Readonly<Record<string, string>> {
  const entries = Object.keys(items).map((id) => ({ id, path: `items/${id}` }))
  return {
    'jurist.config.yaml': config,
    'dataset/dataset.json': JSON.stringify({ schemaVersion: 1, name: 'd', version: '1', items: entries }),
    ...Object.fromEntries(Object.entries(items).map(([id, fields]) => [`dataset/items/${id}/item.json`, item(fields)])),
  }
}

const contains = (text: string) => ({ type: 'output-text', contains: text })

describe('the judges of an item, through the command', () => {
  test('validate makes each of them and names file, field and remedy; nothing runs', async () => {
    using at = project({
      ...files({
        typo: { judges: [contains('hello'), { type: 'output-tex', contains: 'x' }] },
        name: { judges: 'shrt' },
        code: { judges: { mine: { module: './judge.mjs' } } },
        shell: { judges: { ls: { type: 'command-succeeds', command: ['ls'] } } },
        model: {
          judges: {
            m: {
              type: 'criteria',
              criterion: 'c',
              model: { provider: 'openai-compatible', model: 'm', baseUrl: 'http://x.example' },
            },
          },
        },
        away: { judges: { same: { type: 'matches-reference', reference: '../../../outside' } } },
        image: { image: 'node:24' },
      }),
      'outside/a.txt': 'secret',
    })
    const { code, stdout } = await at.jurist('--json', 'validate')
    const { problems } = JSON.parse(stdout) as {
      problems: readonly { file: string; place: string; problem: string; remedy: string }[]
    }
    const of = (id: string) =>
      problems
        .filter(({ file }) => file.includes(`items/${id}/item.json`))
        .map(({ place, problem, remedy }) => `${place}: ${problem} ${remedy}`)
    expect(of('typo')).toEqual(['judges[1].type: unknown judge "output-tex". Did you mean "output-text"?'])
    expect(of('name')).toEqual(['judges: unknown jury "shrt". Did you mean "short"?'])
    expect(of('code').join()).toMatch(/judges.mine: names a module, which runs code.*\{use: NAME\}.*trustItems/)
    expect(of('shell').join()).toMatch(/judges.ls: runs commands outside of a sandbox.*trustItems/)
    expect(of('model').join()).toMatch(/judges.m: .*describes a model/)
    expect(of('away').join()).toMatch(/judges.same: .*leads out of the dataset/)
    expect(of('image').join()).toMatch(/image: "node:24" is a container image/)
    expect([problems.length, code]).toEqual([7, 1])
    const run = await at.jurist('run')
    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain('unknown jury "shrt"')
  })

  test('a trusted dataset may name modules and run commands; paths are relative to the item', async () => {
    using at = project({
      ...files({
        one: { judges: { mine: { module: './judge.mjs' }, ls: { type: 'command-succeeds', command: ['ls'] } } },
      }),
      'dataset/items/one/judge.mjs': "export default () => ({ status: 'nonsense' })",
    })
    at.write({ 'jurist.config.yaml': `${config}    trustItems: true\n` })
    at.write({
      'dataset/items/one/judge.mjs': 'export default ({ agentOutput }) => agentOutput.text.includes("hello")',
    })
    const { code, stdout, stderr } = await at.jurist('run')
    expect([code, stderr.includes('unknown')]).toEqual([0, false])
    expect(stdout).toMatch(/Passed +1 of 1 decided/)
  })

  test('a run that only they judge is judged again without a jury', async () => {
    using at = project({
      ...files({ greets: { judges: { greets: contains('hello') } } }),
      'jurist.config.yaml': 'experiments: { echo: { dataset: dataset, agent: { command: [cat] } } }\n',
    })
    expect((await at.jurist('run')).code).toBe(0)
    const { code, stdout } = await at.jurist('rejudge', 'latest', '--json')
    const { result } = JSON.parse(stdout)
    expect([code, result.passRate, Object.keys(result.items[0].scores)]).toEqual([0, 1, ['item', 'item/greets']])
  })

  test('run, resume, show, rejudge, compare and bundle know them', async () => {
    using at = project(
      files({
        yes: { judges: [contains('hello')] },
        no: { judges: { polite: contains('please') }, repetitions: 2 },
        named: { judges: 'short' },
        plain: {},
      }),
    )
    const run = await at.jurist('run')
    expect(run.stdout).toContain('item 2/4')
    expect(run.stdout).toMatch(/Passed +3 of 5 decided/)
    const show = await at.jurist('show', 'latest', 'no')
    expect(show.stdout).toContain('item/polite: fail')
    const again = await at.jurist('rejudge', 'latest', '--jury', 'short', '--compare')
    expect([again.code, again.stdout.includes('60.0 % of 5 decided')]).toEqual([0, true])
    // A changed judge of an item is another item.
    const [id = ''] = run.stdout.match(/\d{8}T\d{9}Z-\w+/) ?? []
    at.write({ 'dataset/items/no/item.json': item({ judges: { polite: contains('say') }, repetitions: 2 }) })
    const second = await at.jurist('run', '--baseline', id)
    expect(second.stdout).toMatch(/Passed +5 of 5 decided/)
    const bundle = await at.jurist('store', 'bundle', id, '--output', 'run.tgz')
    expect(bundle.stderr + bundle.stdout).toContain('run.tgz')
    const shared = await at.jurist('show', 'run.tgz', 'no')
    expect(shared.stdout).toContain('item/polite: fail')
  })
})
