/** Keys of a context's metadata that always mean the same: nobody else can set them. */
export const reservedKeys: ReadonlySet<string> = new Set([
  ...['itemId', 'itemSlug', 'bucket', 'taskType', 'tags', 'noChange'],
  ...['repetition', 'variant', 'runId', 'experimentName', 'attempt', 'knowledge'],
  ...['sessionId', 'usage', 'costUsd', 'phases', 'plan', 'analysis'],
])
