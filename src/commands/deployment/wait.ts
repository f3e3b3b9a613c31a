import { watchFrom } from '../../changes/wait/watch-from.ts';
import { script } from '../../kinds/script.ts';
import { deployments, isDeployment } from '../../resources/deployment.ts';
import { deploymentLine } from './summary.ts';
import { deploymentStatus, watchDeployment } from './watch.ts';

export const wait = script({
  about: 'Wait until a deployment has ended.',
  params: deployments.get.params,
  positionals: ['deployment_id'],
  examples: [
    'stackops deployment wait 1042 -s shop',
    'stackops deployment wait 1042 -s shop --wait-timeout 20m --json',
  ],
  calls: [deployments.get],
  output: { kind: 'change', reply: deployments.get.reply },
  wait: 'always',
  run: async (context, place) => {
    // A mistyped id is an error before anything is watched.
    const deployment = await context.call(deployments.get, place);
    const watch = watchDeployment((operation, input, more) => context.call(operation, input, more), place);
    const ended = await context.follow(watchFrom(deploymentStatus(deployment), watch));
    return isDeployment(ended) ? ended : deployment;
  },
  present: (deployment) => ({ kind: 'done', lines: [deploymentLine(deployment)] }),
});
