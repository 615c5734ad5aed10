/** A provider for Berth: nginx on a host in front of the cluster carries the traffic. */
@NullMarked
package com.example.nginx;

import org.jspecify.annotations.NullMarked;
