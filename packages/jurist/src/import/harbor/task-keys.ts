import { isPlainObject } from '@jurist/core/internal'

/** The tables of a task.toml, from schema 1.0 to 1.4, with the keys that are known. `metadata` is free. */
const known: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['schema_version', 'version', 'source', 'artifacts', 'steps', 'multi_step_reward_strategy'],
    ...['task', 'metadata', 'verifier', 'agent', 'environment', 'solution'],
  ],
  task: ['name', 'description', 'authors', 'keywords'],
  verifier: [
    ...['timeout_sec', 'env', 'user', 'environment_mode', 'environment', 'collect'],
    ...['network_mode', 'allowed_hosts'],
  ],
  agent: ['timeout_sec', 'user', 'network_mode', 'allowed_hosts'],
  environment: [
    ...['build_timeout_sec', 'docker_image', 'os', 'cpus', 'memory_mb', 'memory', 'storage_mb', 'storage'],
    ...['gpus', 'gpu_types', 'tpu', 'allow_internet', 'network_mode', 'allowed_hosts', 'mcp_servers', 'env'],
    ...['skills_dir', 'healthcheck', 'workdir'],
  ],
  solution: ['env'],
}

/** The keys of a task.toml that no schema has, such as `environment.colour`. They are kept. */
export function unknownKeys(document: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(known).flatMap(([table, keys]) => {
    const value = table === '' ? document : document[table]
    if (!isPlainObject(value)) return []
    return Object.keys(value)
      .filter((key) => !keys.includes(key))
      .map((key) => (table === '' ? key : `${table}.${key}`))
  })
}

/** Keys that are known and have no counterpart here, with what follows from that. */
const unmapped: Readonly<Record<string, string>> = {
  'verifier.user': 'the verifier runs as the user of the image',
  'verifier.environment': 'the verifier runs in the environment of the task',
  'verifier.collect': 'nothing is collected before the verifier runs',
  'verifier.allowed_hosts': 'the network is open or closed as a whole',
  'agent.user': 'the agent runs as the user of the sandbox',
  'agent.network_mode': 'the agent has the network of the environment',
  'agent.allowed_hosts': 'the network is open or closed as a whole',
  'environment.allowed_hosts': 'the network is open or closed as a whole',
  'environment.build_timeout_sec': '',
  'environment.storage_mb': '',
  'environment.storage': '',
  'environment.gpus': 'no GPU is passed on',
  'environment.gpu_types': 'no GPU is passed on',
  'environment.tpu': 'no TPU is passed on',
  'environment.mcp_servers': 'give the servers to the agent yourself',
  'environment.skills_dir': 'give the skills to the agent yourself',
  'environment.healthcheck': 'the container runs one command at a time, and nothing is waited for',
  artifacts: 'the verifier sees the whole workspace; nothing outside of it is kept',
}

/** What is said and has no counterpart, as notes. What says nothing, such as 0 or [], is left out. */
export function unmappedNotes(document: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(unmapped).flatMap(([path, consequence]) => {
    const [table = '', key] = path.split('.')
    const above = document[table]
    const value = key === undefined ? above : isPlainObject(above) ? above[key] : undefined
    return consequence === '' || saysNothing(value) ? [] : [`${path} is kept, and not followed: ${consequence}`]
  })
}

function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return isPlainObject(value) && Object.keys(value).length === 0
}
