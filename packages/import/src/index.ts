/** What other tools wrote, as projects and runs of Jurist. `jurist` brings it: see `jurist import`. */
import type { Plugin } from '@jurist/experiment/plugin'

/** The plug-in with `jurist import`. */
const plugin: Plugin = {
  commands: {
    import: {
      summary: 'make a project from a git history or a suite of another tool',
      load: async () => (await import('./import.js')).importSuite,
    },
  },
}

export default plugin
