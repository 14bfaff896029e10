/** The lines of CHANGELOG.md: what each changeset says. All packages have one version, so updated dependencies say nothing. */
module.exports = {
  getReleaseLine: async ({ summary }) => {
    const [first, ...more] = summary.trim().split('\n')
    return [`- ${first}`, ...more.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
  },
  getDependencyReleaseLine: async () => '',
}
