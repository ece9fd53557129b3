/** A log that is shipped from a file to sockets: is what is acknowledged on two disks? */
@NullMarked
package io.retroscope.examples.zerocopy;

import org.jspecify.annotations.NullMarked;
