/** The agents, and the official client of MCP, each at the exact version that the tests were written for. */
export const packages: { readonly [name: string]: string } = {
  '@anthropic-ai/claude-agent-sdk': '0.3.329',
  '@anthropic-ai/claude-code': '2.1.197',
  '@openai/codex-sdk': '0.163.0',
  '@openai/codex': '0.169.0',
  '@agentclientprotocol/claude-agent-acp': '0.49.0',
  '@modelcontextprotocol/sdk': '1.32.2',
}

const groups: { readonly [group: string]: readonly string[] } = {
  claude: ['@anthropic-ai/claude-agent-sdk', '@anthropic-ai/claude-code'],
  codex: ['@openai/codex-sdk', '@openai/codex'],
  acp: ['@agentclientprotocol/claude-agent-acp'],
  mcp: ['@modelcontextprotocol/sdk'],
}

/** The agents that `JURIST_AGENTS` names, such as `claude,codex`. Default: all. */
export function selected(): readonly string[] {
  const given = process.env.JURIST_AGENTS ?? ''
  if (given === '') return Object.keys(packages)
  return given.split(',').flatMap((group) => {
    const names = groups[group.trim()]
    if (names === undefined)
      throw new Error(`JURIST_AGENTS: there is no ${group} (known: ${Object.keys(groups).join(', ')})`)
    return names
  })
}
