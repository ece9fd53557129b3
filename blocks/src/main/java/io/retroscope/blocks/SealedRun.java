// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

/** A run of a block, with the sequence number from which those of its rows are counted. */
record SealedRun(int nodeId, Run run, long sequenceBefore) {}
