/** A replicated Infinispan cache with a slow link: how far apart are the replicas? */
@NullMarked
package io.retroscope.examples.infinispan;

import org.jspecify.annotations.NullMarked;
