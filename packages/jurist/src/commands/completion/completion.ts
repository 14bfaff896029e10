import { realpathSync } from 'node:fs'
import { oneOf } from '@jurist/experiment/plugin'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { completionScript, type Shell, shells } from './shells.js'

const shellOf = oneOf(shells)

const lines: { readonly [shell in Shell]: string } = {
  bash: "echo 'source <(jurist completion bash)' >> ~/.bashrc",
  zsh: "echo 'source <(jurist completion zsh)' >> ~/.zshrc",
  fish: 'jurist completion fish > ~/.config/fish/completions/jurist.fish',
}

export const completion: Subcommand = subcommand({
  arguments: [['<shell>', shells.join(', '), shells]],
  flags: {},
  note: `Prints a script that completes commands, flags, their values and the names of the project: experiments, variants, juries, items,
runs. It runs no code of the project. To install it:
${shells.map((shell) => `  ${lines[shell]}`).join('\n')}`,
  examples: ['completion bash', 'completion fish'],
  async run(host, [given]) {
    const shell = shellOf(given, 'shell')
    const script = completionScript(shell, [process.execPath, realpathSync(process.argv[1] ?? '')])
    if (host.flags.json === true) host.json({ shell, script })
    else host.terminal.raw(script)
    return 0
  },
})
