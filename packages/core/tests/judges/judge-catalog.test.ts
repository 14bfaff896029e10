import { fileContent, fileExists, outputText, runJudge, supersetOf } from '@jurist/core'
import { type DescribingConfig, judgeDescriptionOf } from '@jurist/core/internal'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const workspace = memoryWorkspace({ 'README.md': '# Hello', 'src/a.js': 'a()' })
const context = aContext({ workspace, agentOutput: 'Paris' })
const config: DescribingConfig = {
  path: (path) => `/config/${path}`,
  model: () => scriptedModel('Answer: YES'),
  schema: () => Promise.reject(new Error('no schemas')),
  embed: () => async (texts) => texts.map(() => [1]),
  workspace: async (directory) => memoryWorkspace({ [directory === 'empty' ? 'missing.js' : 'src/a.js']: 'a()' }),
}
const described = async (factory: object, options: object) =>
  runJudge(
    await (judgeDescriptionOf(factory)?.make({ ...options }, config) ?? Promise.reject(new Error('none'))),
    context,
  )

describe('judges that a config describes', () => {
  const rows: readonly (readonly [object, object, string])[] = [
    [fileExists, { path: 'README.md' }, 'pass'],
    [fileExists, { path: 'LICENSE' }, 'fail'],
    [fileContent, { path: 'README.md', contains: 'Hello' }, 'pass'],
    [outputText, { matches: '^London' }, 'fail'],
    [supersetOf, { reference: 'solution' }, 'pass'],
    [supersetOf, { reference: 'empty' }, 'fail'],
    [supersetOf, {}, 'abstain'],
  ]
  test.each(rows)('%o with %o: %s', async (factory, options, status) => {
    expect((await described(factory, options)).status).toBe(status)
  })
  test('the factory checks the options', async () => {
    const unknown = { path: 'README.md', pth: 'x' }
    await expect(described(fileExists, unknown)).rejects.toThrow(/fileExists: unknown option "pth"/)
    await expect(described(fileContent, { path: '' })).rejects.toMatchObject({ code: 'path-invalid' })
  })
  test('a function without a registered description has none', () => {
    expect(judgeDescriptionOf(() => true)).toBeUndefined()
    expect(judgeDescriptionOf(undefined)).toBeUndefined()
  })
})
