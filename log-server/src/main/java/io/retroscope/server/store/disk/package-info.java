/**
 * The directory of a store: its database, tables, format and markers.
 *
 * <p>{@link io.retroscope.server.store.disk.StoreSchema} defines the tables of the RocksDB
 * database, and how their keys and values are encoded. {@link
 * io.retroscope.server.store.disk.Database} is the only class that reads and writes them. A
 * directory belongs to one process ({@code DataDirectory}), and {@code SyncedMarker} notes how far
 * it was synced, so that a start finds writes that the machine lost.
 */
@NullMarked
package io.retroscope.server.store.disk;

import org.jspecify.annotations.NullMarked;
