/** What is going to happen by itself: an agent's answer, a person's click, the end of a stall. Virtual time only. */
export interface Happening {
  readonly at: number;
  readonly what: string;
  readonly run: () => void;
}

export interface Agenda {
  readonly add: (happening: Happening) => void;
  /** Takes the first one whose time has come. */
  readonly take: (now: number) => Happening | undefined;
  readonly nextAt: () => number | null;
  readonly size: () => number;
}

/** In order of time, and in the order they were added where two share an instant. */
export const openAgenda = (): Agenda => {
  const waiting: Happening[] = [];
  return {
    add: (happening) => {
      const later = waiting.findIndex((one) => one.at > happening.at);
      if (later < 0) waiting.push(happening);
      else waiting.splice(later, 0, happening);
    },
    take: (now) => (waiting[0] !== undefined && waiting[0].at <= now ? waiting.shift() : undefined),
    nextAt: () => waiting[0]?.at ?? null,
    size: () => waiting.length,
  };
};
