const rows = [
  {
    ...{ id: 'boiling', task: 'How long does the Heron 3 need to boil one litre?', expected: '2 minutes 40 seconds' },
    context: ['The Heron 3 boils one litre in 2 minutes 40 seconds.'],
    output: 'It needs 2 minutes 40 seconds.',
  },
  {
    ...{ id: 'descaling', task: 'How often must the Heron 3 be descaled?', expected: 'every three months' },
    context: ['Descale the kettle every three months with citric acid.', 'The kettle weighs 1.1 kg.'],
    output: 'Descale it every three months.',
  },
]

const config = `# yaml-language-server: $schema=./jurist.schema.json
# Judges the answers in questions.jsonl: "context" is what was retrieved, "output" what was answered. To judge your own system,
# leave the outputs out and name a program that prints its answer:  agent: { command: [node, answer.mjs, "{{prompt}}"] }
#
# Model judges are prepared: remove "#: " from the lines that begin with it, and set OPENAI_API_KEY.
#: models:
#:   judge: { provider: openai-compatible, model: gpt-5-mini, baseUrl: "https://api.openai.com/v1", apiKeyEnv: OPENAI_API_KEY }
experiments:
  answers:
    dataset: questions.jsonl
    jury:
      judges:
        expected: { type: matches-expected, by: includes }
        short: { type: output-text, matches: "^.{1,200}$" }
#:         faithful: { type: faithfulness, model: judge }
#:         retrieval: { type: contextual-relevance, model: judge }
      vote: consensus
thresholds: { passRate: 0.9 }
`

/** The files of the template \`rag\`: recorded answers with what was retrieved. */
export const ragFiles: Readonly<Record<string, string>> = {
  'jurist.config.yaml': config,
  'questions.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
}
