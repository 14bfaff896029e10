import { mcpInstall } from './mcp-install.js'
import { mcpServe } from './mcp-serve.js'
import { type Subcommand, subcommandGroup } from './subcommand.js'

/** `jurist mcp`. */
export const mcp: Subcommand = subcommandGroup({
  actions: {
    serve: { summary: 'answer a client on standard input and output (default)', action: mcpServe },
    install: { summary: 'write the settings of a coding agent', action: mcpInstall },
  },
  preset: 'serve',
  examples: ['mcp install claude', 'mcp --allow-commands', 'mcp serve --help'],
  note:
    'Tools: list_juries, judge, explain, list_runs, show_trial, compare. Resources: jurist://runs/<id>. Nothing is changed.\n' +
    'Directories must be within the roots of the client, or within this directory if it names none.',
})
