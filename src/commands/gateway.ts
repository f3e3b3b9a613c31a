import type { Menu } from '../contract/command.ts';
import { gatewayMenu } from '../resources/gateway.ts';

export const gatewayCommands: Menu = { ...gatewayMenu };
