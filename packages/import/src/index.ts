/** Converts the files of other tools to projects and runs. `jurist` contains this package: see `jurist import`. */
import type { Plugin } from '@jurist/experiment/plugin'

const plugin: Plugin = {
  commands: {
    import: {
      summary: 'make a project from a git history or a suite of another tool',
      load: async () => (await import('./import.js')).importSuite,
    },
  },
}

export default plugin
