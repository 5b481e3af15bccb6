/** An error whose message is meant for the person at the terminal: printed as one line, without a stack. */
export const plainError = (message) => Object.assign(new Error(message), { plain: true });

/** Prints what went wrong and sets the exit code. */
export const reportError = (error) => {
  console.error(error?.plain ? error.message : (error?.stack ?? String(error)));
  process.exitCode = 1;
};
