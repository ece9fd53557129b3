// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.Run;

/** A run of a block, with the sequence number from which those of its rows are counted. */
record SealedRun(int nodeId, Run run, long sequenceBefore) {}
