import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { InlineItem } from '@jurist/experiment'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { datasetFile, itemDirectory, jsonFile, newProject, writeFiles } from '@jurist/import/internal'
import { type Host, interruptible } from '../../command-kit/host.js'
import { install, type Subject } from './subject.js'

const agents = {
  claude: {
    into: '.claude/skills',
    module: `import { claudeCommand } from 'jurist/claude-agent'

// The skill is in the workspace: its settings count, too.
export const agent = claudeCommand({ settingSources: ['project'], environment: { allow: ['ANTHROPIC_*'] } })
`,
  },
  codex: {
    into: '.agents/skills',
    module: `import { codexCommand } from 'jurist/codex'

export const agent = codexCommand({ environment: { allow: ['CODEX_API_KEY'] } })
`,
  },
}

/**
 * Writes a study as a project, to be changed: a dataset, the skill, and an experiment with two variants.
 *
 * @throws `usage-invalid` for an agent of a config, and where something is already
 */
export async function writeStudy(
  host: Host,
  out: string,
  subject: Subject,
  items: readonly InlineItem[],
  { agent, repetitions, judgeModel }: { agent: string; repetitions: number; judgeModel: string | undefined },
): Promise<void> {
  if (subject.kind !== 'skill' || (agent !== 'claude' && agent !== 'codex'))
    throw usageInvalid('--write', '--write knows skills for --agent claude and codex. Write other studies by hand.')
  const { name } = subject
  const { into, module } = agents[agent]
  await newProject(
    { cwd: host.cwd, interruptible: (...messages) => interruptible(host, ...messages) },
    out,
    async (root) => {
      await install(subject, join(root, 'skill'))
      await writeFiles(root, {
        'agent.mjs': module,
        '.gitignore': 'results/\n',
        'jurist.config.yaml': `# Does the skill ${name} help? jurist run measures both variants, jurist compare without with compares them.
${judgeModel === undefined ? '' : `# Copy the judge model of your config here.\n# models:\n#   ${judgeModel}: { … }\n`}experiments:
  ${name}:
    dataset: dataset
    trustItems: true
    agent: { module: ./agent.mjs, export: agent }
    repetitions: ${repetitions}
    variants:
      without: {}
      with: { knowledge: { directory: skill, into: ${into}/${name} } }
`,
        'dataset/dataset.json': datasetFile(
          name,
          items.map(({ id = '' }) => ({ id })),
        ),
      })
      for (const { id = '', task = '', before, judges, metadata, expectedOutput } of items) {
        const directory = itemDirectory(root, id)
        await writeFiles(directory, {
          'task.md': `${task}\n`,
          'item.json': jsonFile({
            judges,
            metadata: { ...metadata, ...(before === undefined ? { workspace: 'none' } : {}) },
            ...(expectedOutput === undefined ? {} : { expectedOutput }),
          }),
        })
        if (typeof before === 'string') await cp(before, join(directory, 'before'), { recursive: true })
      }
    },
  )
  host.terminal.out(
    `${counted(items.length, 'item')} written to ${out}.\n\n  cd ${out}\n  ${host.terminal.command('run', name)}\n  ${host.terminal.command('compare', 'without', 'with')}\n`,
  )
}
