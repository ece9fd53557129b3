// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.List;
import java.util.Map;

/** The part of a replica that runs one protocol. */
interface ReplicaProgram extends Lane.Program {
  /** What it has counted. */
  Map<String, Integer> counters();

  /** The executed commands of each chain. */
  Map<String, List<String>> chains();
}
