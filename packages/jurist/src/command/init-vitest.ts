const config = `import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    setupFiles: ['@jurist/vitest'],
    reporters: ['default', ['@jurist/vitest/reporter', { store: 'results' }]],
  },
})
`

const test = `import { consensus, fileContent, fileExists, jury } from 'jurist'
import { copyOf } from 'jurist/workspace'
import { expect, test } from 'vitest'
import { agent } from '../agent.js'

const readme = jury({
  judges: { exists: fileExists('README.md'), title: fileContent('README.md', { matches: '^# Hello' }) },
  vote: consensus(),
})

test('the agent adds a readme', async () => {
  await using workspace = await copyOf('fixtures/before')
  await agent({ prompt: 'Add a README.md.', workspace, signal: AbortSignal.timeout(60_000) })
  await expect(workspace).toPass(readme)
})
`

/** The files of the template \`vitest\` beside \`agent.ts\`: juries as matchers. */
export const vitestFiles: Readonly<Record<string, string>> = {
  'vitest.config.ts': config,
  'tests/readme.test.ts': test,
  'fixtures/before/index.js': "console.log('Hello')\n",
}
