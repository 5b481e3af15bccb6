import type { Command } from 'commander';
import { print } from './show';

const namesOf = (command: Command): string[] => command.commands.map((one) => one.name());
const optionsOf = (command: Command): string[] => command.options.flatMap(({ long }) => (long == null ? [] : [long]));

/** Words that may follow, by the commands that stand before: made from the commands themselves, so it never lags behind. */
const wordsOf = (program: Command): readonly (readonly [path: string, words: readonly string[]])[] => [
  ['', namesOf(program)],
  ...program.commands.flatMap((command) => [
    [command.name(), [...namesOf(command), ...optionsOf(command)]] as const,
    ...command.commands.map((sub) => [`${command.name()} ${sub.name()}`, optionsOf(sub)] as const),
  ]),
];

const bash = (program: Command): string => `_fairlead() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" words
  if [ "$COMP_CWORD" -gt 2 ]; then path="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  elif [ "$COMP_CWORD" -gt 1 ]; then path="\${COMP_WORDS[1]}"; fi
  while true; do
    case "$path" in
${wordsOf(program)
  .map(([path, words]) => `      "${path}") words="${words.join(' ')}"; break ;;`)
  .join('\n')}
      *" "*) path="\${path%% *}" ;;
      *) words=""; break ;;
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _fairlead fairlead`;

export const completionCommand = (program: Command): void => {
  program
    .command('completion')
    .description('a completion script for bash or zsh: source <(npx fairlead completion bash)')
    .argument('<shell>', 'bash | zsh')
    .action((shell: string) => {
      if (shell !== 'bash' && shell !== 'zsh') throw new Error(`no completion for ${shell}: bash, zsh`);
      print(shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash(program)}` : bash(program));
    });
};
