import { codexAgent, codexCommand } from '@jurist/bridges/codex'
import { emptyDirectory } from '@jurist/workspace'
import { codexConfigFor } from './kit/codex-config.js'
import { imported, program, realAgentTests } from './kit/real-agent.js'

// A command that its sandbox refuses beforehand has no event.
const can = {
  usage: true,
  cost: false,
  tools: true,
  fileTools: false,
  refusals: false,
  workspace: () => emptyDirectory(),
}

const key = 'dummy-key-of-the-test'

interface CodexSdk {
  readonly Codex: new (options: object) => ReturnType<Parameters<typeof codexAgent>[0]['codex']>
}

const sdk = '@openai/codex-sdk'
realAgentTests('the Codex SDK', {
  name: sdk,
  make: async ({ server, environment, permissions }) => {
    const { Codex } = await imported<CodexSdk>(sdk)
    const codex = (env: Record<string, string>) => new Codex({ env, apiKey: key, config: codexConfigFor(server) })
    return codexAgent({ codex, permissions, environment, thread: { model: 'scripted' } })
  },
  can,
})

const cli = '@openai/codex'
realAgentTests('codex exec', {
  name: cli,
  make: ({ server, environment, permissions }) =>
    codexCommand({
      command: [program(cli, 'codex')],
      config: codexConfigFor(server),
      permissions,
      model: 'scripted',
      environment: { ...environment, set: { ...environment.set, CODEX_API_KEY: key } },
    }),
  can,
})
