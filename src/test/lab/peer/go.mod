module dev.berth/lab/peer

go 1.26
