/** How an action ends. */
export interface Ending {
  readonly success: boolean;
  readonly message: string;
  readonly resourceId?: string;
}

export function done(message: string): Ending {
  return { success: true, message };
}

export function failed(message: string): Ending {
  return { success: false, message };
}
