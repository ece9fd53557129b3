/**
 * Where events live: blocks in RocksDB, an index of what is in which block, and what is known of
 * every incarnation of a node and of the times at which nodes were heard from.
 *
 * <p>One thread writes ({@code GroupCommit}); any number of views read what it has published.
 */
@NullMarked
package io.retroscope.server.store;

import org.jspecify.annotations.NullMarked;
