import type { ScriptedServer } from '../../../packages/bridges/testing/index.js'

/** Settings of Codex for the scripted model. */
export const codexConfigFor = ({ url }: ScriptedServer) => ({
  model_provider: 'scripted',
  model_providers: {
    scripted: {
      name: 'scripted',
      base_url: `${url}/v1`,
      wire_api: 'responses',
      env_key: 'CODEX_API_KEY',
      request_max_retries: 2,
      stream_max_retries: 0,
    },
  },
  analytics: { enabled: false },
  check_for_update_on_startup: false,
})
