import { describe, expect, test } from 'vitest'
import { configOf, project, yamlConfigOf } from '../../project.js'

const manifest = JSON.stringify({ schemaVersion: 1, name: 'd', version: '1', items: [{ id: 'a', path: 'items/a' }] })
const files = {
  'jurist.config.ts': `import { completed, defineConfig } from 'jurist'
import { answer } from './answer.ts'
export default defineConfig({
  experiments: {
    demo: {
      dataset: 'dataset',
      agent: ({ prompt }) => completed({ output: answer, costUsd: prompt.includes('dear') ? 1 : 0.25 }),
      jury: ({ agentOutput }) => agentOutput.text === 'yes',
    },
  },
})
`,
  'answer.ts': "export const answer = 'no'\n",
  'dataset/dataset.json': manifest,
  'dataset/items/a/item.json': '{"developerTask": "x"}',
  'dataset/items/a/before/x': '',
  'notes/todo.txt': '',
}

describe.concurrent('run --watch', () => {
  test('runs again when config, what it imports, dataset or a given path change, within one budget', async () => {
    using made = project(files)
    const { ended, said } = made.start('run', '--watch', '--watch-path', 'notes', '--budget', '2')
    await said('Watching for changes')
    made.write({ 'answer.ts': "export const answer = 'yes'\n" })
    await said('answer.ts has changed.')
    await said('Watching for changes', 2)
    made.write({ 'notes/todo.txt': 'x' })
    await said('notes/todo.txt has changed.')
    await said('Watching for changes', 3)
    made.write({ 'answer.ts': 'export const answer = \n' })
    await said('could not be loaded')
    made.write({ 'answer.ts': "export const answer = 'yes'\n" })
    await said('Watching for changes', 4)
    // 1 of 2 US dollars is spent: the next run takes the rest.
    made.write({ 'dataset/items/a/item.json': '{"developerTask": "something dear"}' })
    const { code, stdout, stderr } = await ended
    expect(stderr).toContain('The budget is used up')
    expect(stdout.match(/\d of 1 decided/g)).toEqual(['0 of 1 decided', ...Array(4).fill('1 of 1 decided')])
    expect(code).toBe(0)
  })

  test('Ctrl-C ends it while it waits', async () => {
    using made = project({ 'jurist.config.ts': configOf({}) })
    const { child, ended, said } = made.start('run', '--watch', '--budget-tokens', '10')
    await said('Watching for changes')
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(130)
    expect(stderr).toContain('Watching has ended.')
  })

  test.each<[readonly string[], string]>([
    [['--watch'], 'needs a budget for all these runs together. Give --budget <usd>'],
    [['--watch', '--budget', '1', '--resume'], 'Use --watch or --resume, not both.'],
    [['--watch', '--budget', '1', '--json'], 'Use --watch or --json, not both'],
    [['--watch', '--budget', '1', '--watch-path', 'nowhere'], 'nowhere does not exist.'],
    [['--watch-path', '.'], '--watch-path needs --watch.'],
  ])('%j is refused before anything runs', async (argv, message) => {
    using made = project({ 'jurist.config.yaml': yamlConfigOf() })
    const { code, stderr } = await made.jurist('run', ...argv)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})
