import { copyWorkspaces } from '@jurist/experiment'
import { bubblewrapSandbox } from '@jurist/workspace'
import { defineConfig } from 'jurist'
import { migration } from './experiment.js'
import { stubs } from './judges/compiles.js'
import { scriptedModel } from './model/scripted-model.js'

/** For the command, as `npx jurist vet`: in bubblewrap where it works, which shows the compiler its stubs, and no answers. */
export default defineConfig({
  experiments: {
    migration: async () => {
      const bubblewrap = bubblewrapSandbox({ readable: [stubs] })
      const sandbox = await bubblewrap.probe().then(
        () => bubblewrap,
        () => 'none' as const,
      )
      return { ...migration(scriptedModel), provision: copyWorkspaces({ sandbox }) }
    },
  },
})
